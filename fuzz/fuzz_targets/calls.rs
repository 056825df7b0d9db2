//! Fuzzes the controller's gRPC requests: any bytes, as messages one after another, are decoded or refused with a
//! reason, and each accepted request is answered once it is stored.
#![no_main]

use bandwise_controller::core::{
    Clustering, Core, Input, Output, Owner, Profiles, Rules, State, Ticket,
};
use bandwise_controller::daemon::Call;
use bandwise_controller::grpc::proto;
use bandwise_input::Source;
use bandwise_saba::controller::Settings;
use bandwise_saba::table::read;
use libfuzzer_sys::fuzz_target;
use prost::Message;
use std::num::NonZeroU16;
use std::time::Duration;

fn said<M: Message + Default + TryInto<Call, Error: std::fmt::Display>>(
    bytes: &[u8],
) -> Option<Call> {
    let message = M::decode(bytes).ok()?;
    match message.try_into() {
        Ok(said) => Some(said),
        Err(error) => {
            assert!(error.to_string().contains("allowed"));
            None
        }
    }
}

fuzz_target!(|data: &[u8]| {
    let table = "application,share,time_s\na,1,100\na,0.5,200\na,0.25,400\n";
    let levels = NonZeroU16::new(16).unwrap();
    let table = read::csv(&Source::new("t", table)).unwrap();
    let profiles = Profiles::new(table, Clustering { levels, seed: 1 });
    let (rules, stored) = (Rules::default(), State::default());
    let core = Core::new(rules, Settings::default(), profiles, stored, Duration::ZERO);
    let mut core = core.unwrap();
    let mut rest = data;
    let mut tickets = 0;
    // Each message is a kind, a length, and as many bytes.
    while let [kind, length, bytes @ ..] = rest {
        let (bytes, left) = bytes.split_at(bytes.len().min(*length as usize));
        rest = left;
        let said = match kind % 7 {
            0 => said::<proto::HelloRequest>(bytes),
            1 => said::<proto::KeepAliveRequest>(bytes),
            2 => said::<proto::GoodbyeRequest>(bytes),
            3 => said::<proto::RegisterApplicationRequest>(bytes),
            4 => said::<proto::DeregisterApplicationRequest>(bytes),
            5 => said::<proto::CreateConnectionRequest>(bytes),
            _ => said::<proto::DestroyConnectionRequest>(bytes),
        };
        tickets += 1;
        let (ticket, owner) =
            (Ticket(tickets), Owner::from(if kind & 128 == 0 { "a" } else { "b" }));
        let input = match said {
            Some(Call::Hello) => Input::Hello { ticket, owner },
            Some(Call::Renew(client)) => Input::Renew { ticket, owner, client },
            Some(Call::Goodbye(client)) => Input::Goodbye { ticket, owner, client },
            Some(Call::Request(request)) => {
                Input::Request { ticket, owner, request, path: Ok(Vec::new()) }
            }
            Some(Call::Drain(..) | Call::Reset) | None => continue,
        };
        core.handle(Duration::ZERO, input);
        let mut answered = 0;
        while let Some(output) = core.poll() {
            match output {
                Output::Store { write, .. } => {
                    core.handle(Duration::ZERO, Input::Stored { write, error: None, revision: 0 });
                }
                Output::Answer { ticket: of, .. } => {
                    assert_eq!(of, ticket);
                    answered += 1;
                }
                _ => {}
            }
        }
        assert_eq!(answered, 1);
    }
});
