//! Messages of coordinator and agents in their written form.

use bandwise_agents::coordinator::{Order, RunEnd};
use bandwise_agents::message::{FromAgent, Greeting, ToAgent};
use bandwise_agents::{Challenge, Challenges, Coordinator, Plan, SealError, Seals, Speaker, Token};
use bandwise_input::Source;
use bandwise_session::{decode, encode};
use bandwise_units::Time;
use proptest::prelude::*;

const CHALLENGES: Challenges =
    Challenges { agent: Challenge([1; 16]), coordinator: Challenge([2; 16]) };

fn token() -> Token {
    Token::of_text("a token of a test").unwrap()
}

/// The fuzzer's seeds are valid: each line is a message, and the second file is a whole run.
#[test]
fn fuzzer_seeds_are_messages() {
    let agent = include_str!("../../../fuzz/seeds/agents/agent.txt");
    for line in agent.lines().filter(|line| !line.starts_with('T')) {
        let body = line.strip_prefix("A ").unwrap();
        decode::<ToAgent>(body.as_bytes()).unwrap_or_else(|error| panic!("{line}: {error}"));
    }
    let plan = "duration = \"1 s\"\nhost = [{ name = \"a\", agent = \"a\" }, { name = \"b\", agent = \"b\" }]\n\
                flow = [{ from = \"a\", to = \"b\", method = \"rperf\" }, { from = \"b\", to = \"a\", method = \"bulk\" },
                { from = \"a\", to = \"b\", method = \"key-value\", clients = 2, workers = 1 }]";
    let plan = Plan::from_toml(&Source::new("plan", plan), 1).unwrap();
    let mut now = Time::from_ms(1);
    let mut coordinator = Coordinator::new(plan, &token(), &[CHALLENGES.coordinator; 2], now);
    let mut seals = [(); 2].map(|()| Seals::new(token(), Speaker::Agent, CHALLENGES));
    for i in 0..2 {
        let greeting = encode(&Greeting::Challenge(CHALLENGES.agent)) + "\n";
        coordinator.receive(i, greeting.as_bytes(), now);
    }
    for line in include_str!("../../../fuzz/seeds/agents/coordinator.txt").lines() {
        if let Some(ms) = line.strip_prefix("T ") {
            now += Time::from_ms(ms.parse().unwrap());
            continue;
        }
        let i = usize::from(line.as_bytes()[1] - b'0');
        let message: FromAgent = decode(&line.as_bytes()[3..]).unwrap();
        coordinator.receive(i, seals[i].seal(&message).as_bytes(), now);
    }
    assert_eq!(coordinator.outcome().map(|outcome| outcome.end), Some(RunEnd::Complete));
    assert!(coordinator.orders().any(|order| order == Order::Close(1)));
}

proptest! {
    /// A line with a changed bit is rejected, and so is a line out of sequence.
    #[test]
    fn seal_rejects_changed_and_replayed_lines(at in any::<prop::sample::Index>(), bit in 0u8..8, numbers in prop::collection::vec(any::<u64>(), 1..5)) {
        let (mut here, mut there) = (
            Seals::new(token(), Speaker::Coordinator, CHALLENGES),
            Seals::new(token(), Speaker::Agent, CHALLENGES),
        );
        let lines: Vec<String> = numbers.iter().map(|&n| here.seal(&ToAgent::Clock(n))).collect();
        for (line, &number) in lines.iter().zip(&numbers) {
            let line = line.trim_end().as_bytes();
            let mut changed = line.to_vec();
            changed[at.index(line.len())] ^= 1 << bit;
            prop_assert_eq!(there.open::<ToAgent>(&changed), Err(SealError::Forged));
            prop_assert_eq!(there.open::<ToAgent>(line), Ok(ToAgent::Clock(number)));
            prop_assert_eq!(there.open::<ToAgent>(line), Err(SealError::Forged));
        }
    }
}
