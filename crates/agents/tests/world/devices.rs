//! Simulated devices that carry out the orders of agents.

use super::{Fault, Happens, Worker, World, side};
use bandwise_agents::FlowEnd;
use bandwise_agents::agent::{Event, Order};
use bandwise_rdma::wire::Mtu;
use bandwise_session::Part;
use bandwise_units::Time;

/// Time from the failure of a device to its report.
const TELLS: Time = Time::from_ms(40);

impl World {
    pub(super) fn carry_out(&mut self, i: usize, order: Order) {
        let answer = |world: &mut World, run, flow, event| {
            let asked = world.asked;
            world.asked += 1;
            let event = match () {
                () if world.faults.contains(&Fault::Hangs(asked)) => return,
                () if world.faults.contains(&Fault::Refuses(asked)) => {
                    Event::Failed("it can't".into())
                }
                () => event,
            };
            let at = world.now + world.some_delay();
            world.at(at, Happens::Worked(i, run, flow, event));
        };
        match order {
            Order::Send(_, line) if !self.closed[i] => {
                self.send(i, line, Happens::ToCoordinator);
            }
            Order::Send(..) => {}
            Order::Close(..) => self.cut_later(i),
            Order::Prepare(run, job) => {
                self.runs[i] = Some(run);
                let flow = job.flow;
                self.workers.insert((i, flow), Worker { job, began: None, start: Time::ZERO });
                answer(self, run, flow, Event::Prepared(side()));
            }
            Order::Connect(run, flow, ..) => answer(self, run, flow, Event::Connected(Mtu::MAX)),
            Order::Start(run, at) => {
                let pace = self.paces[i];
                let mut ends = Vec::new();
                for (&(agent, flow), worker) in &mut self.workers {
                    if agent == i {
                        let began = pace.when(at + worker.job.active.from());
                        (worker.began, worker.start) = (Some(began), at);
                        if worker.job.part == Part::Client {
                            self.began.insert(flow, began);
                            ends.push((flow, pace.when(at + worker.job.active.to())));
                        }
                    }
                }
                for (flow, end) in ends {
                    self.at(end, Happens::Ends(i, run, flow, FlowEnd::Complete));
                }
                for fault in self.faults.clone() {
                    if let Fault::Breaks(n, after) = fault {
                        let mine: Vec<u16> =
                            self.workers.keys().filter(|(a, _)| *a == i).map(|&(_, f)| f).collect();
                        let flow = mine[n % mine.len()];
                        let why = FlowEnd::Failed("it broke".into());
                        let breaks = pace.when(at) + after;
                        self.ceases(flow, breaks);
                        self.at(breaks + TELLS, Happens::Ends(i, run, flow, why));
                    }
                }
            }
            Order::Stop(run) => {
                let clients =
                    self.workers.iter().filter(|((a, _), w)| *a == i && w.job.part == Part::Client);
                let clients: Vec<u16> = clients.map(|(&(_, flow), _)| flow).collect();
                for flow in clients {
                    let asked = self.asked;
                    self.asked += 1;
                    if !self.faults.contains(&Fault::Hangs(asked)) {
                        let at = self.now + self.some_delay();
                        self.at(at, Happens::Ends(i, run, flow, FlowEnd::Stopped));
                    }
                }
            }
            Order::Drop(_) => {
                self.runs[i] = None;
                let mine: Vec<u16> =
                    self.workers.keys().filter(|(a, _)| *a == i).map(|&(_, f)| f).collect();
                mine.into_iter().for_each(|flow| self.ceases(flow, self.now));
                self.workers.retain(|(agent, _), _| *agent != i);
            }
        }
    }
}
