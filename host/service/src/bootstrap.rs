//! The first start, and what every start loads.

use std::collections::{BTreeMap, BTreeSet};

use berth_domain::audit::{AuditOutcome, AuditRow};
use berth_domain::id::{DeploymentId, IdSeed, PolicyId, PrincipalId, TenantId, TokenId};
use berth_domain::input::Title;
use berth_domain::platform::{Policy, Principal, Tenant, Token};
use berth_domain::time::Millis;
use berth_policy::ManagedPolicy;
use berth_store::{DeploymentInfo, Store};
use berth_vault::TokenText;
use serde_json::json;
use sha2::{Digest, Sha256};

use crate::{Clock, Entropy, Service, ServiceError};

/// A store that is ready to serve.
#[derive(Debug)]
pub struct Bootstrapped {
    /// This deployment.
    pub deployment: DeploymentInfo,
    /// The root token, if this start made it. It is shown nowhere again.
    pub new_root_token: Option<TokenText>,
}

/// Makes a new store ready: the deployment's id, the root tenant, its principal with the
/// administrator's policy, and its token. On a store that is ready nothing happens, except that a
/// root token that is given and not known is added: the way back in for an operator who lost his.
///
/// A crash in the middle is made good by the next start: every id follows from the deployment's.
///
/// # Errors
/// When the store fails.
pub async fn bootstrap(
    store: &dyn Store,
    clock: &dyn Clock,
    entropy: &dyn Entropy,
    root_token: Option<TokenText>,
) -> Result<Bootstrapped, ServiceError> {
    let now = clock.now();
    let fresh = DeploymentInfo {
        id: DeploymentId::generate(now, entropy.id_seed()),
        created_at: now,
    };
    let deployment = store.deployment(fresh).await?;
    let root = Root {
        store,
        deployment: &deployment,
        now,
    };
    let first = store
        .tokens(&TenantId::root(), None, 1)
        .await?
        .items
        .is_empty();
    if first {
        root.create().await?;
    }
    let new_root_token = match root_token {
        Some(text) => {
            root.take_token(&text, entropy).await?;
            None
        }
        None if first => {
            let (text, _) = TokenText::generate(&mut |bytes| entropy.fill(bytes));
            root.take_token(&text, entropy).await?;
            Some(text)
        }
        None => None,
    };
    Ok(Bootstrapped {
        deployment,
        new_root_token,
    })
}

/// What belongs to the platform itself.
struct Root<'a> {
    store: &'a dyn Store,
    deployment: &'a DeploymentInfo,
    now: Millis,
}

impl Root<'_> {
    fn seed(&self, purpose: &str) -> IdSeed {
        let hash = Sha256::new()
            .chain_update(self.deployment.id.as_str())
            .chain_update([0])
            .chain_update(purpose)
            .finalize();
        let mut seed = [0; 10];
        seed.copy_from_slice(&hash[..10]);
        IdSeed(seed)
    }

    fn principal_id(&self) -> PrincipalId {
        PrincipalId::generate(self.deployment.created_at, self.seed("root principal"))
    }

    fn audit(&self, action: &str, resource: &str) -> Vec<AuditRow> {
        vec![AuditRow {
            at: self.now,
            request_id: None,
            principal_id: None,
            tenant_id: TenantId::root(),
            action: action.to_owned(),
            resource: resource.to_owned(),
            outcome: AuditOutcome::Done,
            detail: json!({"by": "the start of the host"}),
        }]
    }

    async fn create(&self) -> Result<(), ServiceError> {
        let tenant = Tenant {
            id: TenantId::root(),
            title: title("The platform")?,
            quotas: BTreeMap::new(),
            created_at: self.now,
        };
        self.store
            .create_tenant(
                &tenant,
                self.audit("compute:tenants:write", "compute-tenant/root"),
            )
            .await?;
        let policy = self.put_administrator_policy().await?;
        let principal = Principal {
            id: self.principal_id(),
            tenant_id: TenantId::root(),
            title: title("root")?,
            groups: BTreeSet::new(),
            policies: vec![policy],
            created_at: self.now,
        };
        let on = format!("compute-principal/{}", principal.id);
        self.store
            .create_principal(&principal, self.audit("compute:principals:write", &on))
            .await?;
        Ok(())
    }

    async fn put_administrator_policy(&self) -> Result<PolicyId, ServiceError> {
        let policy = Policy {
            id: PolicyId::generate(
                self.deployment.created_at,
                self.seed("administrator policy"),
            ),
            tenant_id: TenantId::root(),
            title: title("Administrator")?,
            document: ManagedPolicy::Administrator.json(),
            created_at: self.now,
            updated_at: self.now,
        };
        let stored = self.store.policy(&policy.tenant_id, &policy.id).await?;
        if stored.is_none_or(|stored| stored.document != policy.document) {
            let on = format!("compute-policy/{}", policy.id);
            self.store
                .put_policy(&policy, self.audit("compute:policies:write", &on))
                .await?;
        }
        Ok(policy.id)
    }

    /// Makes the root principal an administrator again. Whoever can set the host's configuration
    /// wants it back, whether it was deleted or only stripped of its policies.
    async fn restore(&self) -> Result<(), ServiceError> {
        let Some(mut principal) = self
            .store
            .principal(&TenantId::root(), &self.principal_id())
            .await?
        else {
            return self.create().await;
        };
        let policy = self.put_administrator_policy().await?;
        if principal.policies.contains(&policy) {
            return Ok(());
        }
        principal.policies.push(policy);
        let on = format!("compute-principal/{}", principal.id);
        self.store
            .update_principal(&principal, self.audit("compute:principals:write", &on))
            .await?;
        Ok(())
    }

    async fn take_token(
        &self,
        text: &TokenText,
        entropy: &dyn Entropy,
    ) -> Result<(), ServiceError> {
        self.restore().await?;
        let hash = text.hash();
        if self.store.token_by_hash(hash.as_str()).await?.is_some() {
            return Ok(());
        }
        let root = TenantId::root();
        let token = Token {
            id: TokenId::generate(self.now, entropy.id_seed()),
            principal_id: self.principal_id(),
            tenant_id: root,
            title: title("root token")?,
            expires_at: None,
            revoked_at: None,
            created_at: self.now,
        };
        let on = format!("compute-principal/{}", token.principal_id);
        self.store
            .create_token(
                &token,
                hash.as_str(),
                self.audit("compute:principals:write", &on),
            )
            .await?;
        Ok(())
    }
}

fn title(text: &str) -> Result<Title, ServiceError> {
    text.parse()
        .map_err(|error| ServiceError::internal(format!("{text:?} is no title: {error}")))
}

impl Service {
    /// Loads the active generation of every plugin. One that does not load is logged and its kinds
    /// are unavailable on this host; the others serve.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn load_plugins(&self) -> Result<(), ServiceError> {
        for record in self.store().generations(None).await? {
            if !record.active {
                continue;
            }
            if let Err(reason) = self.load_recorded(&record.digest).await {
                tracing::error!(plugin = %record.plugin, digest = %record.digest, %reason, "an active plugin does not load; its kinds are unavailable on this host");
            }
        }
        Ok(())
    }

    async fn load_recorded(&self, digest: &str) -> Result<(), String> {
        let component = self
            .store()
            .component(digest)
            .await
            .map_err(|error| error.to_string())?
            .ok_or("its component is not in the store")?;
        let generation = self
            .runtime()
            .load(&component)
            .await
            .map_err(|error| error.to_string())?;
        if generation.digest().to_string() != digest {
            return Err("the stored component has another digest than its record".to_owned());
        }
        self.registry().insert(generation.clone());
        self.registry()
            .activate(generation.digest())
            .map_err(|error| error.to_string())?;
        Ok(())
    }
}
