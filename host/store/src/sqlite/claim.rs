//! Claiming work. The one writer makes it a single statement that nobody can come between.

use crate::sql::resource_columns;

/// Takes turns: between accounts by how many runs each has, within an account between tenants likewise,
/// and within a tenant the oldest due comes first. The index is named because the planner would rather walk
/// every row in the order of accounts than the few that are due.
pub(super) const CLAIM: &str = concat!(
    "WITH \
     running AS ( \
         SELECT account, COUNT(*) AS leases FROM resources \
         WHERE lease_until IS NOT NULL AND lease_until > $1 GROUP BY account), \
     running_of_tenant AS ( \
         SELECT account, tenant, COUNT(*) AS leases FROM resources \
         WHERE lease_until IS NOT NULL AND lease_until > $1 GROUP BY account, tenant), \
     due AS ( \
         SELECT id, account, tenant, next_run_at + \
             CASE WHEN state IN ('ready', 'error') THEN $6 ELSE 0 END AS due_at \
         FROM resources INDEXED BY resources_due \
         WHERE next_run_at IS NOT NULL AND next_run_at <= $1 \
             AND (lease_until IS NULL OR lease_until <= $1)), \
     by_tenant AS ( \
         SELECT due.id, due.account, due.due_at, \
             ROW_NUMBER() OVER (PARTITION BY due.account, due.tenant ORDER BY due.due_at, due.id) \
                 + COALESCE(running_of_tenant.leases, 0) AS turn \
         FROM due LEFT JOIN running_of_tenant \
             ON running_of_tenant.account = due.account AND running_of_tenant.tenant = due.tenant), \
     by_account AS ( \
         SELECT by_tenant.id, by_tenant.due_at, \
             ROW_NUMBER() OVER ( \
                 PARTITION BY by_tenant.account ORDER BY by_tenant.turn, by_tenant.due_at, by_tenant.id) \
                 + COALESCE(running.leases, 0) AS turn \
         FROM by_tenant LEFT JOIN running ON running.account = by_tenant.account) \
     UPDATE resources SET lease_host = $4, lease_until = $5, lease_epoch = lease_epoch + 1, woken = 0 \
     WHERE id IN ( \
         SELECT id FROM by_account WHERE turn <= $3 ORDER BY turn, due_at, id LIMIT $2) \
     RETURNING lease_epoch, ",
    resource_columns!()
);
