//! Refusals and their status codes.

use crate::world::{World, register, sender};
use bandwise_controller::core::Limits;
use bandwise_controller::grpc::proto::{
    CreateConnectionRequest, DeregisterApplicationRequest, DestroyConnectionRequest,
    KeepAliveRequest, RegisterApplicationRequest, Sender,
};
use tonic::{Code, Status};
use tonic_types::StatusExt;

/// Returns the machine-readable reason, if there is one.
fn reason(status: &Status) -> Option<String> {
    let info = status.get_details_error_info()?;
    assert_eq!(info.domain, "saba.bandwise");
    Some(info.reason)
}

#[test]
fn refusal_has_status_reason_and_message() {
    let world = World::start(Limits::default());
    let mut client = world.client();
    let id = world.hello(&mut client);
    let mut registers = |request: RegisterApplicationRequest| {
        world.runtime.block_on(client.register_application(request)).map(|of| of.into_inner())
    };
    let application = registers(register(id, 0, "all")).unwrap().application;
    let anonymous = RegisterApplicationRequest { sender: None, ..register(id, 1, "all") };
    let nameless = Sender { client: None, ..sender(id, 1).unwrap() };
    let unnumbered = Sender { number: None, ..sender(id, 1).unwrap() };
    let from = |sender| RegisterApplicationRequest { sender: Some(sender), ..anonymous.clone() };
    let all = register(id, 7, "all");
    let cases = [
        (anonymous.clone(), Code::InvalidArgument, None, "no sender (allowed"),
        (from(nameless), Code::InvalidArgument, None, "no sender.client (allowed"),
        (from(unnumbered), Code::InvalidArgument, None, "no sender.number (allowed"),
        (
            register(99, 0, "all"),
            Code::NotFound,
            Some("NO_SUCH_CLIENT"),
            "no client 99: its lease has ended",
        ),
        (
            register(id, 1, "none"),
            Code::NotFound,
            Some("UNKNOWN_APPLICATION"),
            "no application called \"none\"",
        ),
        (register(id, 0, "all"), Code::FailedPrecondition, Some("ACKNOWLEDGED"), "request 0, but"),
        (
            RegisterApplicationRequest { nodes: Some(0), ..register(id, 2, "all") },
            Code::InvalidArgument,
            Some("BAD_SETTING"),
            "allowed: a whole number from 1 on",
        ),
        (
            register(id, 2, "all"),
            Code::FailedPrecondition,
            Some("OTHER_REQUEST"),
            "request 2 was used",
        ),
        (
            RegisterApplicationRequest { dataset: Some("much".into()), ..all.clone() },
            Code::InvalidArgument,
            Some("BAD_SETTING"),
            "allowed",
        ),
        (
            register(id, 8, &"x".repeat(257)),
            Code::InvalidArgument,
            Some("BAD_SETTING"),
            "257 bytes",
        ),
    ];
    for (request, code, why, message) in cases {
        let status = registers(request.clone()).unwrap_err();
        assert_eq!((status.code(), reason(&status).as_deref()), (code, why), "{request:?}");
        assert!(status.message().contains(message), "{status}");
    }
    let mut client = world.client();
    let connects = CreateConnectionRequest {
        sender: sender(id, 20),
        application: Some(application),
        from: "h0".into(),
        to: "h9".into(),
    };
    let refused = world.runtime.block_on(client.create_connection(connects.clone())).unwrap_err();
    assert_eq!((refused.code(), reason(&refused).as_deref()), (Code::NotFound, Some("NO_PATH")));
    assert!(refused.message().contains("h9"), "{refused}");
    let of_none = CreateConnectionRequest { application: None, ..connects };
    let refused = world.runtime.block_on(client.create_connection(of_none)).unwrap_err();
    assert_eq!(refused.code(), Code::InvalidArgument);
    let sent = sender(id, 21);
    let other = DeregisterApplicationRequest { sender: sent, application: Some(99) };
    let refused = world.runtime.block_on(client.deregister_application(other)).unwrap_err();
    assert_eq!(reason(&refused).as_deref(), Some("NO_SUCH_APPLICATION"));
    let sent = sender(id, 22);
    let other = DestroyConnectionRequest { sender: sent, connection: Some(99) };
    let refused = world.runtime.block_on(client.destroy_connection(other)).unwrap_err();
    assert_eq!(reason(&refused).as_deref(), Some("NO_SUCH_CONNECTION"));
    let stranger = KeepAliveRequest { client: Some(99) };
    let refused = world.runtime.block_on(client.keep_alive(stranger)).unwrap_err();
    assert_eq!(
        (refused.code(), reason(&refused).as_deref()),
        (Code::NotFound, Some("NO_SUCH_CLIENT"))
    );
    // A stopping controller reports that.
    world.handle.stop();
    let late = loop {
        let late = world.runtime.block_on(client.keep_alive(KeepAliveRequest { client: Some(id) }));
        if let Err(late) = late {
            break late;
        }
    };
    assert_eq!(late.code(), Code::Unavailable);
}

/// The limit holds, however many requests arrive.
#[test]
fn registrations_are_limited_to_a_thousand() {
    let world = World::start(Limits::default());
    let mut client = world.client();
    let id = world.hello(&mut client);
    let mut accepted = 0;
    world.runtime.block_on(async {
        // 200 at a time, whose answers are stored together.
        for first in (0..10_000).step_by(200) {
            let mut outstanding = tokio::task::JoinSet::new();
            for number in first..first + 200 {
                let mut client = client.clone();
                let sender = Sender { acknowledged_below: first, ..sender(id, number).unwrap() };
                let request = register(id, number, "all");
                let request = RegisterApplicationRequest { sender: Some(sender), ..request };
                outstanding.spawn(async move { client.register_application(request).await });
            }
            while let Some(answer) = outstanding.join_next().await {
                match answer.unwrap() {
                    Ok(_) => accepted += 1,
                    Err(status) => assert_eq!(status.code(), Code::ResourceExhausted, "{status}"),
                }
            }
        }
    });
    assert_eq!(accepted, 1000);
    world.until(|core| core.state().applications().len() == 1000);
}
