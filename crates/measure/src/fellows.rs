//! [`Fellows`]: the check that queue pairs belong to an agent of the same run.

use crate::challenge;
use anyhow::{Context, anyhow};
use bandwise_agents::{Token, VouchError, VouchStep, Vouching};
use bandwise_session::{AllowedPeer, PortAddress, Side, foreign};
use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// The time limit for each step of a question to another agent.
const TIMEOUT: Duration = Duration::from_secs(3);
/// The number of questions, and the pause between two. An agent that many ask at once closes the oldest connections.
const TRIES: u32 = 20;
const PAUSE: Duration = Duration::from_millis(50);

/// The other agents of a run. Each address with which queue pairs are connected is this agent's own, one that the
/// operator allows, or one at which an agent with the token vouches for these queue pairs.
#[derive(Debug)]
pub struct Fellows {
    token: Token,
    allowed: Vec<AllowedPeer>,
    own: Vec<PortAddress>,
    /// One question at a time, so that flows do not displace each other's connections.
    turn: Mutex<()>,
}

impl Fellows {
    /// Returns the fellows of an agent with its own addresses.
    pub fn new(token: Token, allowed: Vec<AllowedPeer>, own: Vec<PortAddress>) -> Self {
        Fellows { token, allowed, own, turn: Mutex::new(()) }
    }

    /// Checks that a side of a flow belongs to an agent, which listens at `port` of the side's address.
    ///
    /// # Errors
    ///
    /// Returns an error that names the address if nobody vouches for the side.
    pub fn check(&self, flow: u16, side: &Side, port: u16) -> anyhow::Result<()> {
        let is_own = |address| self.own.contains(&address);
        let Some(address) = foreign(side, &self.allowed, is_own) else { return Ok(()) };
        let vouched = match address.ip() {
            Some(ip) => self.ask(flow, side, SocketAddr::new(ip, port)),
            None => Err(anyhow!("whose it is can't be asked there")),
        };
        // An agent vouches for the whole side, so a second address needs no second question.
        vouched.with_context(|| {
            format!(
                "nobody vouches for the queue pairs at {address}; an agent of this run that listens there does, or \
                 this agent needs --peer {address}"
            )
        })
    }

    fn ask(&self, flow: u16, side: &Side, agent: SocketAddr) -> anyhow::Result<()> {
        let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        let mut tries = 0;
        loop {
            tries += 1;
            let stream = TcpStream::connect_timeout(&agent, TIMEOUT)
                .with_context(|| format!("no agent answers at {agent}"))?;
            match self.ask_over(stream, flow, side) {
                Err(error) if tries < TRIES && is_displaced(&error) => thread::sleep(PAUSE),
                result => return result.with_context(|| format!("the agent at {agent}")),
            }
        }
    }

    fn ask_over(&self, mut stream: TcpStream, flow: u16, side: &Side) -> anyhow::Result<()> {
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(TIMEOUT))?;
        stream.set_write_timeout(Some(TIMEOUT))?;
        let (mut vouching, line) =
            Vouching::new(self.token.clone(), challenge()?, flow, side.clone());
        stream.write_all(line.as_bytes())?;
        let (mut buffer, mut length) = ([0; 4096], 0);
        // A peer without the token can send at most these many parts.
        for _ in 0..64 {
            match vouching.receive(&buffer[..length])? {
                VouchStep::Done => return Ok(()),
                VouchStep::Send(line) => {
                    stream.write_all(line.as_bytes())?;
                    length = 0;
                }
                VouchStep::Wait => {
                    length = stream.read(&mut buffer)?;
                    if length == 0 {
                        return Err(std::io::Error::from(ErrorKind::UnexpectedEof).into());
                    }
                }
            }
        }
        Err(anyhow!("it does not speak as an agent does"))
    }
}

/// Returns `true` if the agent closed the connection without an answer, as it does with the oldest of too many.
fn is_displaced(error: &anyhow::Error) -> bool {
    let closed = [ErrorKind::UnexpectedEof, ErrorKind::ConnectionReset, ErrorKind::BrokenPipe];
    let is_closed = |error: &std::io::Error| closed.contains(&error.kind());
    let is_refused = |error: &VouchError| matches!(error, VouchError::Refused(_));
    error.downcast_ref().is_some_and(is_closed) || error.downcast_ref().is_some_and(is_refused)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sides;
    use bandwise_agents::agent::{Event, Link, Order, RunId};
    use bandwise_agents::message::{Job, ToAgent};
    use bandwise_agents::{Agent, Challenge, Challenges, Seals, Span, Speaker};
    use bandwise_rdma::verbs::Transport;
    use bandwise_rdma::wire::Mtu;
    use bandwise_session::{Method, Part, Task, encode};
    use bandwise_units::Time;
    use std::net::{IpAddr, Ipv4Addr, TcpListener};

    const NOW: Time = Time::from_ms(1);
    const FLOW: u16 = 3;

    fn token() -> Token {
        Token::of_text("sixteen bytes or more").unwrap()
    }

    fn side(address: Ipv4Addr) -> Side {
        sides::side(address.to_ipv6_mapped())
    }

    fn task() -> Task {
        Task {
            method: Method::Rperf,
            transport: Transport::Rc,
            bytes: 64.try_into().unwrap(),
            inline: 0.try_into().unwrap(),
            queue_pairs: 1.try_into().unwrap(),
            threads: 1.try_into().unwrap(),
            depth: 1.try_into().unwrap(),
            mtu: Mtu::MAX,
            sl: 0.try_into().unwrap(),
            traffic_class: 0.try_into().unwrap(),
            events: false,
            manager: false,
        }
    }

    /// Returns an agent whose run has made a side for a flow.
    fn prepared(side: Side) -> Agent {
        let challenges = Challenges { agent: Challenge([1; 16]), coordinator: Challenge([2; 16]) };
        let mut agent = Agent::new(token(), "d".into(), "c".into());
        let mut seals = Seals::new(token(), Speaker::Coordinator, challenges);
        let greeting = bandwise_agents::message::Greeting::Challenge(challenges.coordinator);
        agent.connected(Link(0), Ipv4Addr::LOCALHOST.into(), challenges.agent, NOW);
        agent.receive(Link(0), format!("{}\n", encode(&greeting)).as_bytes(), NOW);
        let span = Span::new(Time::ZERO, Time::from_ms(10)).unwrap();
        let (flow, part, task, seed) = (FLOW, Part::Server, task(), 1);
        let job = Job { flow, part, task, think: Time::ZERO, active: span, window: span, seed };
        for message in [ToAgent::Hello, ToAgent::Prepare(job)] {
            agent.receive(Link(0), seals.seal(&message).as_bytes(), NOW);
        }
        agent.event(RunId(1), FLOW, Event::Prepared(side));
        agent.orders().for_each(drop);
        agent
    }

    /// Serves connections by an agent, of which it closes the first `displaced` at once.
    fn serve(listener: TcpListener, mut agent: Agent, displaced: usize, connections: usize) {
        for number in 0..connections {
            let (mut stream, from) = listener.accept().unwrap();
            if number < displaced {
                continue;
            }
            let link = Link(1 + number as u64);
            agent.connected(link, from.ip(), Challenge([number as u8; 16]), NOW);
            let mut buffer = [0; 4096];
            'connection: loop {
                for order in agent.orders() {
                    match order {
                        Order::Send(_, line) => stream.write_all(line.as_bytes()).unwrap(),
                        Order::Close(..) => break 'connection,
                        other => panic!("{other:?}"),
                    }
                }
                let length = stream.read(&mut buffer).unwrap();
                agent.receive(link, &buffer[..length], NOW);
            }
        }
    }

    /// Queue pairs at another address than those of agents are refused, whatever the coordinator says.
    #[test]
    fn sides_that_no_agent_vouches_for_are_refused() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let theirs = side(Ipv4Addr::LOCALHOST);
        let agent = prepared(theirs.clone());
        let serves = thread::spawn(move || serve(listener, agent, 2, 4));
        let own = Ipv4Addr::new(192, 0, 2, 1);
        let fellows = |allowed: &[AllowedPeer]| {
            Fellows::new(token(), allowed.to_vec(), vec![IpAddr::from(own).into()])
        };
        let why = |error: anyhow::Error| format!("{error:#}");
        let usual = fellows(&[]);
        // The agent's own address, and that of another agent, which at first has no room.
        usual.check(FLOW, &side(own), 1).unwrap();
        usual.check(FLOW, &theirs, port).unwrap();
        // That agent has other queue pairs.
        let error = why(usual.check(FLOW + 1, &theirs, port).unwrap_err());
        assert!(error.contains("has not made these queue pairs"), "{error}");
        // A third host: nothing listens at the address, or no address can be asked.
        let error = why(usual.check(FLOW, &theirs, 1).unwrap_err());
        assert!(
            error.contains("127.0.0.1; an agent of this run") && error.contains("--peer 127.0.0.1"),
            "{error}"
        );
        let lid = Side { lid: 17, gid: None, ..theirs.clone() };
        let error = why(usual.check(FLOW, &lid, port).unwrap_err());
        assert!(error.contains("--peer lid:17"), "{error}");
        fellows(&[AllowedPeer::Lid(17)]).check(FLOW, &lid, 1).unwrap();
        serves.join().unwrap();
    }
}
