//! What must hold at every moment of a life.

use berth_domain::metering::Window;
use berth_domain::resource::{Adoption, Desired, Effect, EventType, Resource, State, Transition};
use berth_domain::time::{Millis, Span};

use super::world::{Tale, World};

/// Longest wait: the longest wish of the provider, or the refresh.
const LONGEST_WAIT: Span = Span::minutes(5);

fn may_follow(before: State, after: State) -> bool {
    use State::{Deleted, Deleting, Error, Pending, Provisioning, Ready, Released, Updating};
    match (before, after) {
        (a, b) if a == b => true,
        (Deleted | Released, _) => false,
        // Let go from wherever it was.
        (_, Released) => true,
        (_, Error) | (_, Deleting) => true,
        (Deleting | Error, Deleted) => true,
        (Deleting, _) | (_, Deleted) => false,
        (Pending, Provisioning | Ready) => true,
        (Provisioning, Ready | Updating) => true,
        (Ready, Provisioning | Updating) => true,
        (Updating, Ready | Provisioning) => true,
        (Error, Pending | Provisioning | Updating | Ready) => true,
        _ => false,
    }
}

/// Judges one change of a row.
pub(crate) fn of_a_change(
    before: &Resource,
    change: &Transition,
    tale: &Tale,
) -> Result<(), String> {
    let after = &change.row;
    if !may_follow(before.state, after.state) {
        return Err(format!("{} became {}", before.state, after.state));
    }
    if after.is_live() && after.schedule.next_run_at.is_none() {
        return Err("a live row is never looked at again".to_owned());
    }
    if before.desired == Desired::Deleted && after.desired != Desired::Deleted {
        return Err("a delete was forgotten".to_owned());
    }
    let withdrawn = before.desired == Desired::Released && after.desired == Desired::Present;
    if withdrawn && (before.adoption.is_some() || after.state != State::Error) {
        return Err("a release was withdrawn that could have been made".to_owned());
    }
    if after.state == State::Released
        && !(before.desired == Desired::Released || before.is_being_adopted())
    {
        return Err("it was let go without a wish".to_owned());
    }
    of_a_takeover(before, after)?;
    if before.provider_id.is_some() && before.provider_id != after.provider_id {
        return Err("a provider id was lost".to_owned());
    }
    if before.secret_outputs.len() > after.secret_outputs.len() && after.is_live() {
        return Err("a secret's reference was lost".to_owned());
    }
    let mut events = tale.events.clone();
    for effect in &change.effects {
        if let Effect::Publish(draft) = effect {
            of_an_event(draft.event, &events, before, after)?;
            events.push(draft.event);
        }
    }
    goes_with(
        change,
        EventType::Deleted,
        before.is_live() && after.state == State::Deleted,
    )?;
    goes_with(
        change,
        EventType::Released,
        before.is_live() && after.state == State::Released,
    )?;
    goes_with(
        change,
        EventType::Releasing,
        before.desired != Desired::Released && after.desired == Desired::Released,
    )?;
    let entered_error = before.state != State::Error && after.state == State::Error;
    if entered_error
        != change.effects.iter().any(
            |effect| matches!(effect, Effect::Publish(draft) if draft.event == EventType::Failed),
        )
    {
        return Err("`failed` goes with an entry into error, and with nothing else".to_owned());
    }
    Ok(())
}

/// An event is told exactly when what it tells of happens.
fn goes_with(change: &Transition, event: EventType, happened: bool) -> Result<(), String> {
    let told = change
        .effects
        .iter()
        .filter(|effect| matches!(effect, Effect::Publish(draft) if draft.event == event));
    if told.count() == usize::from(happened) {
        Ok(())
    } else {
        Err(format!("{} is missing, double or untrue", event.as_str()))
    }
}

/// A takeover begins, is followed, is managed, and never goes back.
fn of_a_takeover(before: &Resource, after: &Resource) -> Result<(), String> {
    let rank = |row: &Resource| match row.adoption {
        None => 0,
        Some(Adoption::Begun) => 1,
        Some(Adoption::Following) => 2,
        Some(Adoption::Managed) => 3,
    };
    let is_born = before.adoption.is_some();
    if rank(after) < rank(before) || is_born != after.adoption.is_some() {
        return Err("a takeover went back".to_owned());
    }
    if after.is_being_adopted() && !(after.spec.is_empty() && after.secret_outputs.is_empty()) {
        return Err("something of an object was recorded that is not ours".to_owned());
    }
    Ok(())
}

fn of_an_event(
    event: EventType,
    before: &[EventType],
    row_before: &Resource,
    row: &Resource,
) -> Result<(), String> {
    let count = |wanted: EventType| before.iter().filter(|event| **event == wanted).count();
    let is_lawful = match event {
        EventType::Created => before.is_empty(),
        EventType::Ready => count(EventType::Ready) == 0 && row.state == State::Ready,
        EventType::Deleting => count(EventType::Deleting) == 0,
        EventType::Deleted => count(EventType::Deleted) == 0 && count(EventType::Deleting) == 1,
        EventType::Updated => {
            let last = |wanted| before.iter().rposition(|event| *event == wanted);
            row.state == State::Ready && last(EventType::Updating) > last(EventType::Updated)
        }
        EventType::Updating => row.state == State::Updating,
        EventType::Failed => row_before.state != State::Error,
        EventType::Adopted => before.is_empty(),
        EventType::Releasing => row.is_live() && count(EventType::Deleting) == 0,
        EventType::Released => count(EventType::Releasing) > 0 || count(EventType::Deleting) == 1,
    };
    let is_over = before.contains(&EventType::Deleted) || before.contains(&EventType::Released);
    if is_lawful && !is_over {
        Ok(())
    } else {
        Err(format!("{} after {before:?}", event.as_str()))
    }
}

/// Judges the whole world.
pub(crate) fn of_the_world(world: &World) -> Result<(), String> {
    for (id, count) in &world.provider.made_for {
        if *count > 1 {
            return Err(format!("{count} objects were made for {id}"));
        }
    }
    for row in world.rows.values() {
        if let Some(provider_id) = &row.provider_id
            && !(row.is_being_adopted() || row.state == State::Released)
            && world.provider.owners.get(provider_id) != Some(&Some(row.id.clone()))
        {
            return Err(format!("{} took over {provider_id}", row.id));
        }
        if row.is_live()
            && row
                .schedule
                .next_run_at
                .is_some_and(|at| at - world.now > LONGEST_WAIT)
        {
            return Err(format!("{} waits too long", row.id));
        }
    }
    for (id, row) in &world.rows {
        let began = if row.adoption.is_some() {
            row.ready_at
        } else {
            row.accepted_at
        };
        let lived = match began {
            Some(from) if row.parent.is_none() => row.ended_at.unwrap_or(world.now) - from,
            _ => Span(0),
        };
        let spans = world.tales[id].spans.values();
        let all = Window {
            from: Millis(0),
            to: world.now,
        };
        let billed = Span(spans.map(|span| span.window(world.now).overlap(all)).sum());
        if billed != lived {
            return Err(format!(
                "{id} lived for {lived:?} and is billed for {billed:?}"
            ));
        }
    }
    for object in &world.provider.objects {
        let Some(owner) = &object.owner else { continue };
        let row = world.rows.get(owner).ok_or("an object without a row")?;
        let is_known = row.provider_id.as_ref() == Some(&object.id);
        let is_sought = row.intent.is_some();
        if object.gone_at.is_none() && !(row.is_live() && (is_known || is_sought)) {
            return Err(format!("{} of {owner} is lost: nobody knows it", object.id));
        }
    }
    Ok(())
}
