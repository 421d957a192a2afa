//! Answers about a whole account, asked once and told to whoever asks within a while.
//!
//! Who asks while an answer is on its way waits for that one. The asking is a task of its own, so
//! nobody who stops waiting takes it from the others. A failure is told to those who waited for it and
//! to nobody else.

use std::collections::HashMap;
use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError};

use berth_domain::id::AccountId;
use berth_domain::time::Millis;
use tokio::sync::watch;
use tracing::Instrument;

use crate::settings::AnswerSettings;
use crate::{Code, ServiceError};

type Answer<T> = Result<Arc<T>, ServiceError>;

/// Who is asked, and by which generation.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Subject {
    pub(crate) account: AccountId,
    pub(crate) generation: String,
}

struct Asked<T> {
    at: Millis,
    /// `None` until it is there.
    answer: watch::Receiver<Option<Answer<T>>>,
}

impl<T> Asked<T> {
    /// Whether who asks now gets this one: it is on its way, or there and fresh. A clock that was set
    /// back makes nothing fresh.
    fn serves(&self, now: Millis, settings: &AnswerSettings) -> bool {
        match &*self.answer.borrow() {
            None => self.answer.has_changed().is_ok(),
            Some(Ok(_)) => self.at <= now && now - self.at <= settings.reuse,
            Some(Err(_)) => false,
        }
    }
}

/// Answers of one sort.
pub(crate) struct SharedAnswers<T> {
    asked: Mutex<HashMap<Subject, Asked<T>>>,
}

impl<T> Default for SharedAnswers<T> {
    fn default() -> Self {
        Self {
            asked: Mutex::default(),
        }
    }
}

impl<T: Send + Sync + 'static> SharedAnswers<T> {
    /// The answer about a subject; `ask` is run if there is none to share.
    ///
    /// # Errors
    /// What `ask` fails with; `UNAVAILABLE` if it broke.
    pub(crate) async fn get<F>(
        &self,
        subject: Subject,
        now: Millis,
        settings: &AnswerSettings,
        ask: impl FnOnce() -> F,
    ) -> Answer<T>
    where
        F: Future<Output = Result<T, ServiceError>> + Send + 'static,
    {
        debug_assert!(
            !berth_store::in_transaction(),
            "a provider is asked inside of a transaction of the store, which would wait for it"
        );
        let mut answer = self.join(subject, now, settings, ask);
        match answer.wait_for(Option::is_some).await {
            Ok(answer) => answer.clone().unwrap_or_else(|| Err(broken())),
            Err(_) => Err(broken()),
        }
    }

    fn join<F>(
        &self,
        subject: Subject,
        now: Millis,
        settings: &AnswerSettings,
        ask: impl FnOnce() -> F,
    ) -> watch::Receiver<Option<Answer<T>>>
    where
        F: Future<Output = Result<T, ServiceError>> + Send + 'static,
    {
        let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        asked.retain(|_, asked| asked.serves(now, settings));
        if let Some(found) = asked.get(&subject) {
            return found.answer.clone();
        }
        let room = usize::try_from(settings.kept).unwrap_or(usize::MAX);
        while asked.len() >= room.max(1) {
            let oldest = asked.iter().min_by_key(|(_, asked)| asked.at);
            let Some(oldest) = oldest.map(|(subject, _)| subject.clone()) else {
                break;
            };
            asked.remove(&oldest);
        }
        let (told, answer) = watch::channel(None);
        let asking = ask();
        tokio::spawn(
            async move {
                let answer = asking.await.map(Arc::new);
                // Nobody may be waiting any more; who asks next finds it all the same.
                told.send_replace(Some(answer));
                // The answer stays readable: a receiver keeps the value when its sender is gone.
            }
            .in_current_span(),
        );
        asked.insert(
            subject,
            Asked {
                at: now,
                answer: answer.clone(),
            },
        );
        answer
    }
}

fn broken() -> ServiceError {
    ServiceError::new(
        Code::Unavailable,
        "asking the provider broke off; try again",
    )
    .reason("host")
    .with("retryAfterMs", 1_000)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use berth_domain::time::Span;
    use tokio::sync::Semaphore;

    use super::*;

    const NOW: Millis = Millis(1_800_000_000_000);

    fn subject(generation: &str) -> Subject {
        Subject {
            account: "acc_00000000000000000000000000".parse().unwrap(),
            generation: generation.to_owned(),
        }
    }

    /// Counts how often it is asked; answers when it is let.
    struct Provider {
        asked: AtomicU32,
        gate: Semaphore,
    }

    impl Provider {
        fn new(open: usize) -> Arc<Self> {
            Arc::new(Self {
                asked: AtomicU32::new(0),
                gate: Semaphore::new(open),
            })
        }

        fn ask(
            self: &Arc<Self>,
            fails: bool,
        ) -> impl FnOnce() -> futures_util::future::BoxFuture<'static, Result<u32, ServiceError>>
        {
            let provider = self.clone();
            move || {
                Box::pin(async move {
                    let count = provider.asked.fetch_add(1, Ordering::SeqCst) + 1;
                    provider.gate.acquire().await.unwrap().forget();
                    if fails {
                        Err(ServiceError::new(
                            Code::Unavailable,
                            format!("fault {count}"),
                        ))
                    } else {
                        Ok(count)
                    }
                })
            }
        }
    }

    async fn get(
        answers: &SharedAnswers<u32>,
        provider: &Arc<Provider>,
        generation: &str,
        now: Millis,
    ) -> u32 {
        let settings = AnswerSettings::default();
        *answers
            .get(subject(generation), now, &settings, provider.ask(false))
            .await
            .unwrap()
    }

    /// rule: CR-083
    #[tokio::test]
    async fn an_answer_serves_for_thirty_seconds_and_no_other_generation() {
        let (answers, provider) = (SharedAnswers::default(), Provider::new(100));
        assert_eq!(get(&answers, &provider, "a", NOW).await, 1);
        assert_eq!(
            get(&answers, &provider, "a", NOW + Span::seconds(30)).await,
            1
        );
        assert_eq!(get(&answers, &provider, "b", NOW).await, 2);
        assert_eq!(get(&answers, &provider, "a", NOW + Span(30_001)).await, 3);
        // The clock was set back.
        assert_eq!(get(&answers, &provider, "a", NOW).await, 4);
    }

    #[tokio::test]
    async fn who_asks_at_the_same_time_shares_one_call_and_its_failure() {
        let (answers, provider) = (SharedAnswers::<u32>::default(), Provider::new(0));
        let settings = AnswerSettings::default();
        let ask = || answers.get(subject("a"), NOW, &settings, provider.ask(true));
        let open = async {
            tokio::task::yield_now().await;
            provider.gate.add_permits(1);
        };
        let (one, two, three, ()) = tokio::join!(ask(), ask(), ask(), open);
        for answer in [one, two, three] {
            assert_eq!(answer.unwrap_err().message, "fault 1");
        }
        provider.gate.add_permits(1);
        assert_eq!(ask().await.unwrap_err().message, "fault 2");
        assert_eq!(provider.asked.load(Ordering::SeqCst), 2);
    }

    #[tokio::test]
    async fn who_stops_waiting_takes_the_answer_from_nobody() {
        let (answers, provider) = (SharedAnswers::<u32>::default(), Provider::new(0));
        let settings = AnswerSettings::default();
        let ask = || answers.get(subject("a"), NOW, &settings, provider.ask(false));
        let mut first = Box::pin(ask());
        assert!(futures_util::poll!(&mut first).is_pending());
        let mut second = Box::pin(ask());
        assert!(futures_util::poll!(&mut second).is_pending());
        drop(first);
        provider.gate.add_permits(1);
        assert_eq!(*second.await.unwrap(), 1);
        // Even if nobody is left, what was asked for is there for the next.
        let mut lonely = Box::pin(answers.get(subject("b"), NOW, &settings, provider.ask(false)));
        assert!(futures_util::poll!(&mut lonely).is_pending());
        drop(lonely);
        provider.gate.add_permits(1);
        let found = answers.get(subject("b"), NOW, &settings, provider.ask(false));
        assert_eq!(*found.await.unwrap(), 2);
    }

    #[tokio::test]
    async fn what_breaks_while_it_asks_is_asked_anew() {
        let answers = SharedAnswers::<u32>::default();
        let settings = AnswerSettings::default();
        let broken = answers.get(subject("a"), NOW, &settings, || async {
            panic!("of purpose")
        });
        assert_eq!(broken.await.unwrap_err().code, Code::Unavailable);
        let provider = Provider::new(1);
        assert_eq!(get(&answers, &provider, "a", NOW).await, 1);
    }

    #[tokio::test]
    async fn no_more_answers_are_kept_than_the_setting_says() {
        let (answers, provider) = (SharedAnswers::<u32>::default(), Provider::new(100));
        let settings = AnswerSettings {
            kept: 2,
            ..AnswerSettings::default()
        };
        for (at, generation) in [(0, "a"), (1, "b"), (2, "c"), (3, "b"), (4, "a")] {
            let now = NOW + Span(at);
            let answer = answers.get(subject(generation), now, &settings, provider.ask(false));
            answer.await.unwrap();
            assert!(answers.asked.lock().unwrap().len() <= 2);
        }
        // `a` made place for `c`; `b` was still there.
        assert_eq!(provider.asked.load(Ordering::SeqCst), 4);
    }

    #[tokio::test]
    #[cfg(debug_assertions)]
    async fn asking_inside_of_a_transaction_panics() {
        let (answers, provider) = (Arc::new(SharedAnswers::<u32>::default()), Provider::new(1));
        let asker = provider.clone();
        let inside = tokio::spawn(berth_store::inside_transaction(async move {
            get(&answers, &asker, "a", NOW).await
        }));
        assert!(inside.await.unwrap_err().is_panic());
        assert_eq!(provider.asked.load(Ordering::SeqCst), 0);
    }
}
