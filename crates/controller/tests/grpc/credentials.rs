//! Authentication and permissions of remote callers.

use crate::authority::{Authority, write};
use crate::client::saba_client::SabaClient;
use crate::world::{World, credential, register};
use bandwise_controller::core::Limits;
use bandwise_controller::credentials::{Credential, Credentials};
use bandwise_controller::grpc::proto::{GoodbyeRequest, HelloRequest, KeepAliveRequest};
use bandwise_controller::settings::TlsFiles;
use bandwise_controller::{Present, Tls};
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use tonic::metadata::AsciiMetadataValue;
use tonic::transport::{Channel, ClientTlsConfig, Endpoint, Identity};
use tonic::{Code, Request};

/// `spark` has a certificate and may register what begins with a; `flink` has the token "abc", and may all and drain.
fn both() -> Vec<Credential> {
    let spark = credential("spark", Some("spark.test"), None, &["a*"], false);
    vec![spark, credential("flink", None, Some("abc"), &["*"], true)]
}

pub(crate) fn files(authority: &Authority, folder: &Path) -> TlsFiles {
    let (certificate, key) = authority.signs("controller.test");
    TlsFiles {
        certificate: write(folder, "certificate.pem", &certificate),
        key: write(folder, "key.pem", &key),
        clients: Some(authority.write(folder)),
        revoked: None,
    }
}

/// Returns a controller that also listens with TLS.
fn secure(limits: Limits, authority: &Authority) -> (World, SocketAddr) {
    let world = World::start_with(limits, &both());
    let files = files(authority, world.folder.path());
    let tls = Tls::read(&files, &Credentials::new(&both())).unwrap();
    let address = world.open_remote(Present::new(Some(tls)));
    (world, address)
}

fn channel(
    world: &World,
    (address, authority): (SocketAddr, &Authority),
    own: Option<Identity>,
) -> Channel {
    let tls = ClientTlsConfig::new().ca_certificate(authority.certificate());
    let tls = tls.domain_name("controller.test");
    let tls = own.into_iter().fold(tls, |tls, own| tls.identity(own));
    let _inside = world.runtime.enter();
    let endpoint = Endpoint::from_shared(format!("https://{address}")).unwrap();
    endpoint.tls_config(tls).unwrap().connect_lazy()
}

fn with_token<M>(message: M, token: &str) -> Request<M> {
    let mut request = Request::new(message);
    let token = AsciiMetadataValue::try_from(format!("Bearer {token}")).unwrap();
    request.metadata_mut().insert("authorization", token);
    request
}

#[test]
fn certificate_limits_registrations() {
    let authority = Authority::new();
    let (world, address) = secure(Limits::default(), &authority);
    let at = (address, &authority);
    let mut spark = SabaClient::new(channel(&world, at, Some(authority.identity("spark.test"))));
    let id = world.hello(&mut spark);
    world.runtime.block_on(spark.register_application(register(id, 0, "all"))).unwrap();
    let denied = world.runtime.block_on(spark.register_application(register(id, 1, "half")));
    let denied = denied.unwrap_err();
    assert_eq!(denied.code(), Code::PermissionDenied);
    assert_eq!(denied.message(), "spark may not register \"half\" (allowed: a*)");
    // The same name from another authority; an unknown name; a wildcard for all names; no certificate.
    let stranger = Authority::new().identity("spark.test");
    let mut stranger = SabaClient::new(channel(&world, at, Some(stranger)));
    let status = world.runtime.block_on(stranger.hello(HelloRequest {})).unwrap_err();
    assert_ne!(status.code(), Code::Unauthenticated, "it gets no further than the handshake");
    for own in [Some(authority.identity("other.test")), Some(authority.identity("*.test")), None] {
        let mut anonymous = SabaClient::new(channel(&world, at, own));
        let status = world.runtime.block_on(anonymous.hello(HelloRequest {})).unwrap_err();
        assert_eq!(status.code(), Code::Unauthenticated);
        assert!(status.message().contains("the caller is not authenticated (allowed"), "{status}");
        // The same with a token.
        let hello = with_token(HelloRequest {}, "abc");
        world.runtime.block_on(anonymous.hello(hello)).unwrap();
        let status = world.runtime.block_on(anonymous.hello(with_token(HelloRequest {}, "ab")));
        assert_eq!(status.unwrap_err().code(), Code::Unauthenticated);
    }
    // A client without TLS gets no answer, and does not block others.
    let mut stream = TcpStream::connect(address).unwrap();
    stream.write_all(b"GET /v1/status HTTP/1.1\r\nHost: c\r\n\r\n").unwrap();
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    assert!(!answer.starts_with(b"HTTP"));
    world.runtime.block_on(spark.keep_alive(KeepAliveRequest { client: Some(id) })).unwrap();
}

/// The clients of another owner are refused like clients that do not exist.
#[test]
fn clients_of_other_owners_are_not_found() {
    let authority = Authority::new();
    let (world, address) = secure(Limits::default(), &authority);
    let own = Some(authority.identity("spark.test"));
    let mut spark = SabaClient::new(channel(&world, (address, &authority), own));
    let id = world.hello(&mut spark);
    let mut local = world.client();
    let alive = || KeepAliveRequest { client: Some(id) };
    let status = world.runtime.block_on(local.keep_alive(alive())).unwrap_err();
    assert_eq!(status.code(), Code::NotFound);
    let status = world.runtime.block_on(local.register_application(register(id, 0, "all")));
    assert_eq!(status.unwrap_err().code(), Code::NotFound);
    let goodbye = GoodbyeRequest { client: Some(id) };
    let status = world.runtime.block_on(local.goodbye(goodbye)).unwrap_err();
    assert_eq!(status.code(), Code::NotFound);
    world.runtime.block_on(spark.keep_alive(alive())).unwrap();
}

#[test]
fn limits_count_all_clients_of_a_credential() {
    let authority = Authority::new();
    let (world, address) = secure(Limits { applications: 3, ..Limits::default() }, &authority);
    let own = Some(authority.identity("spark.test"));
    let mut spark = SabaClient::new(channel(&world, (address, &authority), own));
    let clients = [(); 2].map(|()| world.hello(&mut spark));
    let mut register_as = |client: u64, number: u64| {
        let registered = spark.register_application(register(client, number, "all"));
        world.runtime.block_on(registered).map(|_| ()).map_err(|status| status.code())
    };
    for number in 0..3 {
        assert_eq!(register_as(clients[number as usize % 2], number), Ok(()));
    }
    for client in clients {
        assert_eq!(register_as(client, 9), Err(Code::ResourceExhausted));
    }
    let mut local = world.client();
    let other = world.hello(&mut local);
    world.runtime.block_on(local.register_application(register(other, 0, "all"))).unwrap();
    // A client that leaves makes room for another owner's.
    let goodbye = GoodbyeRequest { client: Some(clients[0]) };
    world.runtime.block_on(spark.goodbye(goodbye)).unwrap();
    let again = spark.register_application(register(clients[1], 10, "all"));
    world.runtime.block_on(again).unwrap();
}

/// Returns the answer to a request that shows these header lines.
fn http(address: SocketAddr, what: &str, shown: &str, body: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    let length = body.len();
    let head = format!(
        "{what} HTTP/1.1\r\nHost: c\r\nConnection: close\r\n{shown}Content-Length: {length}\r\n"
    );
    stream.write_all(format!("{head}\r\n{body}").as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

/// HTTP uses the same authenticator.
#[test]
fn http_requests_authenticate_by_token() {
    let spark = credential("spark", None, Some("spark's"), &["a*"], false);
    let beam = credential("beam", None, Some("beam's"), &["*"], false);
    let credentials = [spark, beam, credential("flink", None, Some("abc"), &["*"], true)];
    let world = World::start_with(Limits::default(), &credentials);
    let address = world.open_remote(Present::new(None));
    let ask = |what: &str, shown: &str, body: &str| http(address, what, shown, body);
    let (abc, sparks) = ("Authorization: Bearer abc\r\n", "authorization: bearer spark's\r\n");
    let drain = "{\"drained\": true}";
    for what in ["GET /v1/status", "GET /metrics", "POST /v1/clients", "POST /v1/drain", "GET /x"] {
        for shown in [
            "",
            "Authorization: Bearer ab\r\n",
            "Authorization: Basic abc\r\n",
            "Authorization: abc\r\n",
        ] {
            let answer = ask(what, shown, drain);
            assert!(answer.starts_with("HTTP/1.1 401"), "{what} {shown}: {answer}");
            assert!(answer.contains("www-authenticate: Bearer") && answer.contains("allowed"));
        }
    }
    assert!(ask("GET /v1/status", abc, "").starts_with("HTTP/1.1 200"));
    assert!(ask("POST /v1/clients", sparks, "").contains("{\"client\":0"));
    let request =
        "{\"client\": 0, \"number\": 0, \"request\": {\"register\": {\"name\": \"half\"}}}";
    let denied = ask("POST /v1/requests", sparks, request);
    assert!(denied.starts_with("HTTP/1.1 403") && denied.contains("allowed: a*"), "{denied}");
    let others = ask("POST /v1/requests", abc, request);
    assert!(others.starts_with("HTTP/1.1 404"), "{others}");
    assert!(
        ask("POST /v1/requests", sparks, &request.replace("half", "all"))
            .starts_with("HTTP/1.1 200")
    );
    let connect = |to: &str| {
        let connect = format!("{{\"application\": 0, \"from\": \"h0\", \"to\": \"{to}\"}}");
        format!("{{\"client\": 0, \"number\": 1, \"request\": {{\"connect\": {connect}}}}}")
    };
    let denied = ask("POST /v1/requests", sparks, &connect("switch"));
    assert!(denied.starts_with("HTTP/1.1 403") && denied.contains("allowed: h*"), "{denied}");
    assert!(ask("POST /v1/requests", sparks, &connect("h1")).starts_with("HTTP/1.1 200"));
    // Only an operator sees what belongs to others.
    let status = |shown: &str| {
        let answer = ask("GET /v1/status", shown, "");
        let status: Value = serde_json::from_str(answer.split_once("\r\n\r\n").unwrap().1).unwrap();
        let applications = status["applications"].as_array().unwrap().len();
        (status["clients"].as_u64().unwrap(), applications, status["own_only"].as_bool().unwrap())
    };
    assert_eq!(status(sparks), (1, 1, true));
    assert_eq!(status("Authorization: Bearer beam's\r\n"), (0, 0, true));
    assert_eq!(status(abc), (1, 1, false));
    let elsewhere = ask("POST /v1/drain", sparks, "{\"ports\": [\"s9:9\"], \"drained\": true}");
    assert!(elsewhere.starts_with("HTTP/1.1 403"), "{elsewhere}");
    let denied = ask("POST /v1/drain", sparks, drain);
    assert!(denied.starts_with("HTTP/1.1 403") && denied.contains("may not drain"), "{denied}");
    assert!(ask("POST /v1/drain", abc, drain).starts_with("HTTP/1.1 200"));
    let denied = ask("POST /v1/reset", sparks, "");
    assert!(denied.starts_with("HTTP/1.1 403") && denied.contains("end all clients"), "{denied}");
    assert_eq!(status(abc), (1, 1, false));
    assert!(ask("POST /v1/reset", abc, "").starts_with("HTTP/1.1 200"));
    assert_eq!(status(abc), (0, 0, false));
}

/// A request with another method, or with content that would be ignored, is refused in words.
#[test]
fn http_requests_are_taken_as_described_or_refused() {
    let world = World::start(Limits::default());
    let credentials = [credential("flink", None, Some("abc"), &["*"], true)];
    world.credentials.replace(Credentials::new(&credentials));
    let address = world.open_remote(Present::new(None));
    let ask = |what: &str, body: &str| http(address, what, "Authorization: Bearer abc\r\n", body);
    let refused = |what: &str, body: &str, status: u32| {
        let answer = ask(what, body);
        let (head, text) = answer.split_once("\r\n\r\n").unwrap();
        assert!(head.starts_with(&format!("HTTP/1.1 {status}")), "{answer}");
        let error: Value = serde_json::from_str(text).unwrap();
        assert!(error["error"].as_str().unwrap().contains("/openapi.json"), "{answer}");
        head.to_lowercase()
    };
    assert!(refused("DELETE /v1/status", "", 405).contains("allow: get"));
    refused("GET /v1/reset", "", 405);
    refused("GET /v1/state", "", 404);
    for what in
        ["POST /v1/reset", "POST /v1/clients", "POST /v1/clients/0/renew", "DELETE /v1/clients/0"]
    {
        refused(what, "{\"port\": \"s0:1\"}", 400);
        refused(what, "{", 400);
    }
    assert!(ask("POST /v1/clients", "{}").starts_with("HTTP/1.1 200"));
    assert!(ask("POST /v1/clients/0/renew", "{}").starts_with("HTTP/1.1 200"));
    assert!(ask("DELETE /v1/clients/0", "{}").starts_with("HTTP/1.1 200"));
}

/// A caller that does not see all reads its own applications, and the ports on the paths of its own connections.
#[test]
fn callers_read_their_own_only() {
    let spark = credential("spark", None, Some("spark's"), &["a*"], false);
    let beam = credential("beam", None, Some("beam's"), &["*"], false);
    let credentials = [spark, beam, credential("flink", None, Some("abc"), &["*"], true)];
    let world = World::start_with(Limits::default(), &credentials);
    let address = world.open_remote(Present::new(None));
    let ask = |token: &str, what: &str, body: &str| {
        http(address, what, &format!("Authorization: Bearer {token}\r\n"), body)
    };
    let request = |number: u64, request: &str| {
        let body = format!("{{\"client\": 0, \"number\": {number}, \"request\": {request}}}");
        let answer = ask("spark's", "POST /v1/requests", &body);
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    };
    assert!(ask("spark's", "POST /v1/clients", "").contains("{\"client\":0"));
    request(0, "{\"register\": {\"name\": \"all\"}}");
    request(1, "{\"connect\": {\"application\": 0, \"from\": \"h0\", \"to\": \"h1\"}}");
    let ports = |token: &str, what: &str, body: &str| -> Vec<u64> {
        let answer = ask(token, what, body);
        let answer: Value = serde_json::from_str(answer.split_once("\r\n\r\n").unwrap().1).unwrap();
        answer["ports"]
            .as_array()
            .unwrap_or_else(|| panic!("{answer}"))
            .iter()
            .map(|of| of["port"].as_u64().unwrap())
            .collect()
    };
    let all = ports("abc", "GET /v1/status", "");
    let own = ports("spark's", "GET /v1/status", "");
    assert!(!own.is_empty() && own.len() < all.len(), "{own:?} of {all:?}");
    assert!(ports("beam's", "GET /v1/status", "").is_empty());
    let plan = |name: &str, from: &str| {
        let ends = format!("[{{\"from\": \"{from}\", \"to\": \"h0\"}}]");
        format!("{{\"applications\": [{{\"name\": \"{name}\", \"connections\": {ends}}}]}}")
    };
    let asked = ports("beam's", "POST /v1/plan", &plan("all", "h1"));
    assert!(!asked.is_empty() && asked.iter().all(|port| !own.contains(port)), "{asked:?}");
    for (body, allowed) in
        [(plan("half", "h1"), "allowed: a*"), (plan("all", "switch"), "allowed: h*")]
    {
        let denied = ask("spark's", "POST /v1/plan", &body);
        assert!(denied.starts_with("HTTP/1.1 403") && denied.contains(allowed), "{denied}");
    }
    let denied = ask("spark's", "GET /metrics", "");
    assert!(denied.starts_with("HTTP/1.1 403") && denied.contains("see = "), "{denied}");
    assert!(ask("abc", "GET /metrics", "").starts_with("HTTP/1.1 200"));
}

/// A credential that may drain, and sees only its own, drains ports that it does not see, and sees no more of them.
#[test]
fn drain_needs_no_sight() {
    let mut operator = credential("operator", None, Some("drains"), &[], false);
    operator.rights.drain = true;
    let credentials = [operator, credential("flink", None, Some("abc"), &["*"], true)];
    let world = World::start_with(Limits::default(), &credentials);
    let address = world.open_remote(Present::new(None));
    let ask = |token: &str, what: &str, body: &str| {
        http(address, what, &format!("Authorization: Bearer {token}\r\n"), body)
    };
    let status = |token: &str| -> Value {
        let answer = ask(token, "GET /v1/status", "");
        serde_json::from_str(answer.split_once("\r\n\r\n").unwrap().1).unwrap()
    };
    let drained = || {
        let status = status("abc");
        let ports = status["ports"].as_array().unwrap().iter();
        ports
            .filter(|of| of["drained"] == true)
            .map(|of| of["name"].to_string())
            .collect::<Vec<_>>()
    };
    let drain = |body: &str| ask("drains", "POST /v1/drain", body);
    assert!(drain("{\"drained\": true, \"ports\": [\"s0:9\"]}").starts_with("HTTP/1.1 404"));
    assert!(drain("{\"drained\": true, \"ports\": [\"s0:1\"]}").starts_with("HTTP/1.1 200"));
    assert_eq!(drained(), ["\"s0:1\""]);
    assert!(drain("{\"drained\": true}").starts_with("HTTP/1.1 200"));
    assert_eq!(drained().len(), status("abc")["ports"].as_array().unwrap().len());
    let own = status("drains");
    assert_eq!((&own["ports"], &own["own_only"]), (&json!([]), &true.into()));
    assert!(ask("drains", "POST /v1/reset", "").starts_with("HTTP/1.1 200"));
    assert!(ask("drains", "GET /metrics", "").starts_with("HTTP/1.1 403"));
}

/// A plan shows the ports on the asked paths, and none of those on which others' applications are.
#[test]
fn plans_show_ports_on_the_asked_paths_only() {
    let of = |name: &str, slope: f64| {
        let row = |share: f64| {
            format!("{name},{share},{}\n", 100.0 * (1.0 + slope * (1.0 / share - 1.0)))
        };
        [1.0, 0.5, 0.25, 0.125].map(row).concat()
    };
    let slopes = [("none", 0.0), ("half", 0.5), ("all", 0.9), ("some", 0.25)];
    let rows: String = slopes.map(|(name, slope)| of(name, slope)).concat();
    let table = format!("application,share,time_s\n{rows}");
    let beam = credential("beam", None, Some("beam's"), &["*"], false);
    let spark = credential("spark", None, Some("spark's"), &["*"], false);
    let credentials = [spark, beam, credential("flink", None, Some("abc"), &["*"], true)];
    let world = World::start_of(&table, Limits::default(), &credentials);
    let address = world.open_remote(Present::new(None));
    let ask = |token: &str, what: &str, body: &str| -> Value {
        let answer = http(address, what, &format!("Authorization: Bearer {token}\r\n"), body);
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
        serde_json::from_str(answer.split_once("\r\n\r\n").unwrap().1).unwrap()
    };
    let ports = |answer: Value| -> Vec<u64> {
        let ports = answer["ports"].as_array().unwrap();
        ports.iter().map(|of| of["port"].as_u64().unwrap()).collect()
    };
    ask("spark's", "POST /v1/clients", "");
    let mut numbers = 0..;
    let mut request = |request: Value| {
        let body = json!({ "client": 0, "number": numbers.next(), "request": request });
        ask("spark's", "POST /v1/requests", &body.to_string())
    };
    for (name, _) in &slopes[..3] {
        let application = &request(json!({ "register": { "name": name } }))["application"];
        request(json!({ "connect": { "application": application, "from": "h0", "to": "h1" } }));
    }
    let own = ports(ask("spark's", "GET /v1/status", ""));
    let ends = json!([{ "from": "h1", "to": "h0" }]);
    let plan = json!({ "applications": [{ "name": "some", "connections": ends }] }).to_string();
    for token in ["beam's", "abc"] {
        let seen = ports(ask(token, "POST /v1/plan", &plan));
        assert_eq!(seen.len(), own.len(), "{token}: {seen:?}");
        assert!(!seen.iter().any(|port| own.contains(port)), "{token}: {seen:?}, not {own:?}");
    }
}

/// A revoked certificate opens no connection. Lists of other authorities of the same name don't matter.
#[test]
fn revoked_certificates_are_refused() {
    let authority = Authority::new();
    let world = World::start_with(Limits::default(), &both());
    let read = |list: &str| {
        let revoked = Some(write(world.folder.path(), "revoked.pem", list));
        let files = TlsFiles { revoked, ..files(&authority, world.folder.path()) };
        Tls::read(&files, &Credentials::new(&both())).unwrap()
    };
    let tls = Present::new(Some(read(&authority.revokes(&[7]))));
    let at = (world.open_remote(tls.clone()), &authority);
    let is_served = |serial: u64| {
        let own = Some(authority.numbered("spark.test", serial));
        let mut spark = SabaClient::new(channel(&world, at, own));
        world.runtime.block_on(spark.hello(HelloRequest {})).is_ok()
    };
    assert_eq!([7, 8].map(is_served), [false, true]);
    tls.replace(Some(read(&authority.revokes(&[8]))));
    assert_eq!([7, 8].map(is_served), [true, false]);
    let renewed = [Authority::new(), Authority::new()];
    let lists = renewed.map(|of| of.revokes(&[])).concat() + &authority.revokes(&[7, 8]);
    tls.replace(Some(read(&lists)));
    assert_eq!([7, 8].map(is_served), [false, false]);
    // The newest list counts, wherever it is in the file.
    let [old, new] =
        [(1, &[][..]), (2, &[7][..])].map(|(of, all)| authority.revokes_by(of, 4000, all));
    for lists in [format!("{old}{new}"), format!("{new}{old}")] {
        tls.replace(Some(read(&lists)));
        assert_eq!([7, 8].map(is_served), [false, true]);
    }
}

/// The list of an authority between those in `clients` and a client counts too.
#[test]
fn revoked_certificates_of_authorities_between_are_refused() {
    let authority = Authority::new();
    let between = authority.between();
    let world = World::start_with(Limits::default(), &both());
    let revoked = Some(write(world.folder.path(), "revoked.pem", &between.revokes(&[7])));
    let files = TlsFiles { revoked, ..files(&authority, world.folder.path()) };
    let tls = Tls::read(&files, &Credentials::new(&both())).unwrap();
    let at = (world.open_remote(Present::new(Some(tls))), &authority);
    let is_served = |serial: u64| {
        let own = Some(between.numbered("spark.test", serial));
        let mut spark = SabaClient::new(channel(&world, at, own));
        world.runtime.block_on(spark.hello(HelloRequest {})).is_ok()
    };
    assert_eq!([7, 8].map(is_served), [false, true]);
}

/// A replaced credential counts no longer, also on connections that were open before.
#[test]
fn replaced_credentials_and_certificates_end_open_connections() {
    let authority = Authority::new();
    let world = World::start_with(Limits::default(), &both());
    let files = files(&authority, world.folder.path());
    let read = |all: &[Credential]| Tls::read(&files, &Credentials::new(all)).unwrap();
    let tls = Present::new(Some(read(&both())));
    let at = (world.open_remote(tls.clone()), &authority);
    let mut spark = SabaClient::new(channel(&world, at, Some(authority.identity("spark.test"))));
    let mut flink = SabaClient::new(channel(&world, at, None));
    let id = world.hello(&mut spark);
    let hello = || with_token(HelloRequest {}, "abc");
    world.runtime.block_on(flink.hello(hello())).unwrap();
    let beam = credential("beam", Some("beam.test"), Some("xyz"), &["*"], false);
    world.credentials.replace(Credentials::new(std::slice::from_ref(&beam)));
    let refused = world.runtime.block_on(flink.hello(hello())).unwrap_err();
    assert_eq!(refused.code(), Code::Unauthenticated);
    tls.replace(Some(read(&[beam])));
    // The channel connects again once the listener has ended the connection.
    let alive = || {
        let alive = spark.keep_alive(KeepAliveRequest { client: Some(id) });
        world.runtime.block_on(alive)
    };
    let refused = std::iter::repeat_with(alive).take(10_000);
    let refused = refused.filter_map(Result::err).find(|status| status.code() != Code::Unavailable);
    assert_eq!(refused.unwrap().code(), Code::Unauthenticated);
    world.runtime.block_on(flink.hello(with_token(HelloRequest {}, "xyz"))).unwrap();
}
