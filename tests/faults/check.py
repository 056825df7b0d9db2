"""Checks of a run in a pause: every answered registration is there, nothing else, and the ports have their weights."""

import http.client
import json
import time

import ports
from client import Controller
from clients import Violation

# Seconds from the last fault until everything is as without faults.
BOUND = 5.0


class Wrong(Exception):
    """What differs at a time. It may still come right."""


class Ended(Exception):
    """Registrations of a killed client have ended during the check."""


def expected(clients):
    """Returns the answered registrations: by application its client, its name and its connections."""
    return {
        application: (client.client, name, {number: ends for number, ends in connections.items()})
        for client in clients
        for application, (name, connections) in client.there.items()
    }


def known(place):
    """Returns the registrations that a controller knows, and its status."""
    controller = Controller(place, 2)
    try:
        status = controller.well("GET", "/v1/status")
        connections = controller.well("GET", "/v1/connections")["connections"]
    finally:
        controller.http.close()
    there = {of["application"]: (of["client"], of["name"], {}) for of in status["applications"]}
    for of in connections:
        there.setdefault(of["application"], (None, None, {}))[2][of["connection"]] = (of["from"], of["to"])
    return there, status


def compare(place, wanted, there, is_excused):
    """Raises `Wrong` if a controller lacks registrations, or has others than excused ones."""
    lost = [(of, wanted[of]) for of in wanted if of not in there]
    changed = [(of, wanted[of], there[of]) for of in wanted if of in there and there[of] != wanted[of]]
    ghosts = [(of, there[of]) for of in there if of not in wanted and not is_excused(there[of][0])]
    if lost or changed or ghosts:
        raise Wrong(f"{place}: lost {lost}, changed {changed}, ghosts {ghosts}")


def once(world, wanted, reference):
    """Raises `Wrong` if anything is not as it should be. Returns the content of the store."""
    content = None
    for name, place in world.places.items():
        try:
            there, status = known(place)
        except (OSError, http.client.HTTPException, AssertionError, ValueError) as error:
            raise Wrong(f"{name} does not answer: {error!r}") from error
        compare(name, wanted, there, world.is_excused)
        if content not in (None, there):
            raise Wrong(f"{name} has other registrations than those before it")
        content = there
        if world.plan.is_cluster and status["groups"] != [name]:
            raise Wrong(f"{name} holds {status['groups']}")
        if not status["settled"]:
            open_ports = [(port["name"], port["fault"]) for port in status["ports"] if not port["settled"]]
            raise Wrong(f"{name} is not settled: {open_ports}")
    # The reference is asked again only if the content has changed, as excused registrations end.
    if reference.get("content") != content:
        names = [(name, list(ends.values())) for _, name, ends in content.values()]
        reference["ports"], reference["content"] = world.reference.ports(names), content
    different = ports.differences(ports.read(world.lab), reference["ports"])
    if different and known(place)[0] != content:
        raise Ended
    if different:
        raise Wrong(f"ports {json.dumps(different, indent=1)}")
    return content


def converged(world, last, bound=BOUND):
    """Waits until everything is as without faults, and returns after which time that is.

    The bound is longer by the time for which a controller or a member of etcd waited for a processor. Time begins again when
    registrations of a killed client end."""
    reference, cause = {}, "nothing"
    waited = {part.name: part.waited() for part in world.all_parts()}
    while True:
        took = time.monotonic() - last
        most = max(part.waited() - waited[part.name] for part in world.all_parts())
        if took > bound + most:
            dump(world, reference)
            raise Violation(f"after {took:.1f} s (bound {bound:.1f} s, {most:.1f} s without a processor): {cause}")
        try:
            for client in world.clients:
                if client.failed:
                    raise client.failed
                if not client.paused.is_set():
                    raise Wrong(f"client {client.own} is not answered")
            began = time.monotonic()
            once(world, expected(world.clients), reference)
            world.history.line(right=began - last, waited=most)
            return began - last
        except Ended:
            last = time.monotonic()
        except Wrong as wrong:
            if str(wrong) != str(cause):
                world.history.line(wrong=str(wrong)[:300], after=time.monotonic() - last)
            cause = wrong
            time.sleep(0.05)


def dump(world, reference):
    """Writes down what each controller knows, for people."""
    for name, place in world.places.items():
        try:
            there, status = known(place)
        except (OSError, http.client.HTTPException, AssertionError, ValueError) as error:
            there, status = {}, repr(error)
        with open(f"{name}.state", "w") as file:
            json.dump({"registrations": there, "status": status, "expected": expected(world.clients)}, file, indent=1)
    with open("reference.state", "w") as file:
        found = ports.read(world.lab)
        json.dump({"registrations": reference.get("content"), "ports": reference.get("ports"), "found": found}, file, indent=1)
