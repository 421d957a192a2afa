//! Recording instances or networks: which rows are written, and which are found to be gone.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::{LinkedId, LinkedRow, Sort};
use crate::id::{AccountId, TenantId};
use crate::input::Title;
use crate::time::Millis;

/// One to record.
#[derive(Debug, Clone, PartialEq)]
pub struct Draft {
    /// Its id, where the operator gives it one.
    pub id: Option<LinkedId>,
    /// The id that it gets if it is new and was given none.
    pub fresh: LinkedId,
    /// For people; `None` leaves what there is.
    pub title: Option<Title>,
    /// Its objects at the provider, by region; at least one.
    pub objects: BTreeMap<String, String>,
}

/// What is to be recorded of one tenant on one account.
#[derive(Debug, Clone, PartialEq)]
pub struct Registration {
    /// Whose they are.
    pub tenant: TenantId,
    /// The account that they are on.
    pub account: AccountId,
    /// What they are.
    pub sort: Sort,
    /// Each of them.
    pub drafts: Vec<Draft>,
    /// These are all there are: those recorded before that are not among them are gone.
    pub whole: bool,
    /// When.
    pub at: Millis,
}

/// What is written.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Plan {
    /// The rows as they shall be, in the order of the drafts.
    pub rows: Vec<LinkedRow>,
    /// Those of them that are new or not as they were.
    pub changed: HashSet<LinkedId>,
    /// Those that are gone now.
    pub gone: Vec<LinkedRow>,
}

/// Why nothing is recorded.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The id is another tenant's or on another account.
    #[error("`{id}` is of another tenant or account; leave the id out, or give it one of its own")]
    IdTaken {
        /// Of which draft.
        index: usize,
        /// The id.
        id: LinkedId,
    },
    /// A live row has the object already.
    #[error(
        "the provider's object `{object}` is recorded as `{holder}` already; give that id, or delete it first"
    )]
    ObjectTaken {
        /// Of which draft.
        index: usize,
        /// The object.
        object: String,
        /// Who has it.
        holder: LinkedId,
    },
    /// Two drafts are about the same row or object.
    #[error("`{what}` is there twice; name each once")]
    Twice {
        /// The second of them.
        index: usize,
        /// What they have in common.
        what: String,
    },
    /// A draft without an id has objects of several rows.
    #[error(
        "its objects are recorded as `{one}` and as `{other}`; give the id of one, and delete the other first"
    )]
    Several {
        /// Of which draft.
        index: usize,
        /// One row.
        one: LinkedId,
        /// Another.
        other: LinkedId,
    },
}

impl Refusal {
    /// The draft that is refused.
    #[must_use]
    pub fn index(&self) -> usize {
        match self {
            Self::IdTaken { index, .. }
            | Self::ObjectTaken { index, .. }
            | Self::Twice { index, .. }
            | Self::Several { index, .. } => *index,
        }
    }
}

impl Registration {
    /// Ids that the drafts were given.
    pub fn given_ids(&self) -> impl Iterator<Item = &LinkedId> {
        self.drafts.iter().filter_map(|draft| draft.id.as_ref())
    }

    /// Provider ids of the drafts' objects.
    pub fn objects(&self) -> impl Iterator<Item = &str> {
        let objects = self.drafts.iter().flat_map(|draft| draft.objects.values());
        objects.map(String::as_str)
    }

    /// Decides what is written. `known` are all rows that have one of the drafts' ids, all rows of the
    /// account and sort that have one of their objects, and for a whole set all live rows of the
    /// tenant, account and sort.
    ///
    /// # Errors
    /// What stands in the way; nothing is written then.
    pub fn plan(&self, known: &[LinkedRow]) -> Result<Plan, Refusal> {
        let mut plan = Plan::default();
        let mut drafted: HashSet<LinkedId> = HashSet::new();
        for (index, draft) in self.drafts.iter().enumerate() {
            let before = self.row_of(index, draft, known)?;
            let row = self.row(draft, before);
            if !drafted.insert(row.id.clone()) {
                let what = row.id.to_string();
                return Err(Refusal::Twice { index, what });
            }
            if before != Some(&row) {
                plan.changed.insert(row.id.clone());
            }
            plan.rows.push(row);
        }
        let mut holders: HashMap<&str, &LinkedId> = HashMap::new();
        for row in known {
            let is_here = row.account == self.account && row.id.sort() == self.sort;
            if row.gone_at.is_some() || !is_here || drafted.contains(&row.id) {
                continue;
            }
            if self.whole && row.tenant == self.tenant {
                plan.gone.push(LinkedRow {
                    gone_at: Some(self.at),
                    updated_at: self.at,
                    ..row.clone()
                });
            } else {
                holders.extend(row.objects.values().map(|id| (id.as_str(), &row.id)));
            }
        }
        for (index, row) in plan.rows.iter().enumerate() {
            for object in row.objects.values() {
                let Some(holder) = holders.insert(object, &row.id) else {
                    continue;
                };
                let what = object.clone();
                return Err(if drafted.contains(holder) {
                    Refusal::Twice { index, what }
                } else {
                    Refusal::ObjectTaken {
                        index,
                        object: what,
                        holder: holder.clone(),
                    }
                });
            }
        }
        Ok(plan)
    }

    /// The row that a draft is about, if there is one: that of its id, else the live one that has one
    /// of its objects, else the one that had it last.
    fn row_of<'k>(
        &self,
        index: usize,
        draft: &Draft,
        known: &'k [LinkedRow],
    ) -> Result<Option<&'k LinkedRow>, Refusal> {
        let is_ours = |row: &&LinkedRow| {
            row.tenant == self.tenant && row.account == self.account && row.id.sort() == self.sort
        };
        if let Some(id) = &draft.id {
            let row = known.iter().find(|row| row.id == *id);
            if row.is_some_and(|row| !is_ours(&row)) || id.sort() != self.sort {
                let id = id.clone();
                return Err(Refusal::IdTaken { index, id });
            }
            return Ok(row);
        }
        let shares = |row: &&LinkedRow| {
            let mut objects = row.objects.values();
            objects.any(|object| draft.objects.values().any(|own| own == object))
        };
        let mut live = known
            .iter()
            .filter(is_ours)
            .filter(shares)
            .filter(|row| row.gone_at.is_none());
        if let Some(one) = live.next() {
            return match live.find(|other| other.id != one.id) {
                None => Ok(Some(one)),
                Some(other) => Err(Refusal::Several {
                    index,
                    one: one.id.clone(),
                    other: other.id.clone(),
                }),
            };
        }
        let gone = known.iter().filter(is_ours).filter(shares);
        Ok(gone.max_by_key(|row| (row.gone_at, row.id.clone())))
    }

    fn row(&self, draft: &Draft, before: Option<&LinkedRow>) -> LinkedRow {
        let Some(before) = before else {
            return LinkedRow {
                id: draft.id.clone().unwrap_or_else(|| draft.fresh.clone()),
                tenant: self.tenant.clone(),
                account: self.account.clone(),
                title: draft.title.clone(),
                objects: draft.objects.clone(),
                created_at: self.at,
                updated_at: self.at,
                gone_at: None,
            };
        };
        let mut row = LinkedRow {
            title: draft.title.clone().or_else(|| before.title.clone()),
            objects: draft.objects.clone(),
            gone_at: None,
            ..before.clone()
        };
        if row != *before {
            row.updated_at = self.at;
        }
        row
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::{IdSeed, InstanceId, NetworkId};
    use proptest::prelude::*;

    fn instance(n: u8) -> LinkedId {
        LinkedId::Instance(InstanceId::generate(Millis(1), IdSeed([n; 10])))
    }

    fn network(n: u8) -> LinkedId {
        LinkedId::Network(NetworkId::generate(Millis(1), IdSeed([n; 10])))
    }

    fn account(n: u8) -> AccountId {
        AccountId::generate(Millis(1), IdSeed([n; 10]))
    }

    fn draft(n: u8, object: &str) -> Draft {
        Draft {
            id: None,
            fresh: instance(n),
            title: None,
            objects: [("nyc3".to_owned(), object.to_owned())].into(),
        }
    }

    fn registration(drafts: Vec<Draft>, whole: bool, at: i64) -> Registration {
        Registration {
            tenant: "acme".parse().unwrap(),
            account: account(1),
            sort: Sort::Instance,
            drafts,
            whole,
            at: Millis(at),
        }
    }

    /// What is known after a plan was carried out.
    fn after(mut known: Vec<LinkedRow>, plan: Plan) -> Vec<LinkedRow> {
        let written: Vec<LinkedRow> = plan.rows.into_iter().chain(plan.gone).collect();
        known.retain(|row| written.iter().all(|new| new.id != row.id));
        known.extend(written);
        known
    }

    fn planned(known: Vec<LinkedRow>, registration: &Registration) -> Vec<LinkedRow> {
        let plan = registration.plan(&known).unwrap();
        after(known, plan)
    }

    #[test]
    fn a_second_sync_of_the_same_set_changes_nothing_and_keeps_the_ids() {
        let first = registration(vec![draft(1, "a"), draft(2, "b")], true, 10);
        let known = planned(Vec::new(), &first);
        let again = registration(vec![draft(3, "b"), draft(4, "a")], true, 20);
        let plan = again.plan(&known).unwrap();
        let ids: Vec<LinkedId> = plan.rows.iter().map(|row| row.id.clone()).collect();
        assert_eq!(ids, [instance(2), instance(1)]);
        assert!(plan.changed.is_empty() && plan.gone.is_empty());
    }

    #[test]
    fn what_is_absent_from_a_whole_set_is_gone_and_may_come_back_as_itself() {
        let known = planned(
            Vec::new(),
            &registration(vec![draft(1, "a"), draft(2, "b")], true, 10),
        );
        let plan = registration(vec![draft(3, "b")], true, 20)
            .plan(&known)
            .unwrap();
        assert_eq!(plan.gone.len(), 1);
        assert_eq!(
            (&plan.gone[0].id, plan.gone[0].gone_at),
            (&instance(1), Some(Millis(20)))
        );
        let known = after(known, plan);
        // One that is put is no whole set: nothing goes.
        let plan = registration(vec![draft(4, "a")], false, 30)
            .plan(&known)
            .unwrap();
        assert_eq!(
            (&plan.rows[0].id, plan.rows[0].gone_at),
            (&instance(1), None)
        );
        assert_eq!(plan.rows[0].created_at, Millis(10));
        assert!(plan.gone.is_empty());
    }

    #[test]
    fn an_id_that_is_given_is_kept_and_may_get_another_object() {
        let given = |object: &str| Draft {
            id: Some(instance(9)),
            ..draft(1, object)
        };
        let known = planned(Vec::new(), &registration(vec![given("a")], false, 10));
        assert_eq!(known[0].id, instance(9));
        let plan = registration(vec![given("b")], false, 20)
            .plan(&known)
            .unwrap();
        assert_eq!(plan.rows[0].objects["nyc3"], "b");
        assert_eq!(plan.rows[0].updated_at, Millis(20));
    }

    #[test]
    fn rows_of_a_set_may_exchange_their_objects() {
        let given = |n: u8, object: &str| Draft {
            id: Some(instance(n)),
            ..draft(n, object)
        };
        let known = planned(
            Vec::new(),
            &registration(vec![given(1, "a"), given(2, "b")], true, 10),
        );
        let plan = registration(vec![given(1, "b"), given(2, "a")], true, 20)
            .plan(&known)
            .unwrap();
        assert_eq!(plan.changed.len(), 2);
    }

    #[test]
    fn what_is_anothers_is_taken() {
        let known = planned(Vec::new(), &registration(vec![draft(1, "a")], false, 10));
        let other = |drafts: Vec<Draft>| Registration {
            tenant: "other".parse().unwrap(),
            ..registration(drafts, true, 20)
        };
        let by_id = Draft {
            id: Some(instance(1)),
            ..draft(2, "x")
        };
        assert!(matches!(
            other(vec![by_id]).plan(&known),
            Err(Refusal::IdTaken { index: 0, .. })
        ));
        let taken = other(vec![draft(2, "x"), draft(3, "a")]).plan(&known);
        assert!(
            matches!(taken, Err(Refusal::ObjectTaken { index: 1, .. })),
            "{taken:?}"
        );
        // The same object on another account is another object.
        let elsewhere = Registration {
            account: account(2),
            ..other(vec![draft(3, "a")])
        };
        assert!(elsewhere.plan(&[]).is_ok());
    }

    #[test]
    fn nothing_is_named_twice() {
        let twice = registration(vec![draft(1, "a"), draft(2, "a")], true, 10).plan(&[]);
        assert!(
            matches!(twice, Err(Refusal::Twice { index: 1, .. })),
            "{twice:?}"
        );
    }

    #[test]
    fn a_network_is_found_by_any_of_its_objects_unless_they_are_of_several() {
        let draft = |n: u8, objects: &[(&str, &str)]| Draft {
            id: None,
            fresh: network(n),
            title: None,
            objects: objects
                .iter()
                .map(|(region, id)| ((*region).to_owned(), (*id).to_owned()))
                .collect(),
        };
        let of = |drafts: Vec<Draft>| Registration {
            sort: Sort::Network,
            ..registration(drafts, false, 10)
        };
        let known = planned(
            Vec::new(),
            &of(vec![
                draft(1, &[("ams3", "a"), ("nyc3", "n")]),
                draft(2, &[("fra1", "f")]),
            ]),
        );
        let grown = of(vec![draft(3, &[("nyc3", "n"), ("sfo3", "s")])])
            .plan(&known)
            .unwrap();
        assert_eq!(grown.rows[0].id, network(1));
        let mixed = of(vec![draft(3, &[("nyc3", "n"), ("fra1", "f")])]).plan(&known);
        assert!(matches!(mixed, Err(Refusal::Several { .. })), "{mixed:?}");
    }

    proptest! {
        #[test]
        fn after_any_syncs_the_last_set_lives_and_no_object_twice(
            sets in prop::collection::vec(prop::collection::btree_set(0_u8..12, 0..8), 1..6)
        ) {
            let mut known = Vec::new();
            let mut fresh = 0;
            for (round, set) in sets.iter().enumerate() {
                let drafts = set.iter().map(|object| {
                    fresh += 1;
                    draft(fresh, &object.to_string())
                });
                let registration = registration(drafts.collect(), true, i64::try_from(round).unwrap());
                known = planned(known, &registration);
            }
            let mut live: Vec<String> = known.iter().filter(|row| row.gone_at.is_none())
                .flat_map(|row| row.objects.values().cloned()).collect();
            live.sort();
            let mut expected: Vec<String> = sets.last().unwrap().iter().map(u8::to_string).collect();
            expected.sort();
            prop_assert_eq!(live, expected);
            let mut objects: Vec<&String> = known.iter().flat_map(|row| row.objects.values()).collect();
            objects.sort();
            let all = objects.len();
            objects.dedup();
            prop_assert_eq!(all, objects.len(), "an object came back as another row");
        }
    }
}
