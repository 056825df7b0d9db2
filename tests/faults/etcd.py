"""An etcd cluster of three members: its processes, and what an operator does to it."""

import base64
import http.client
import json
import shutil
import time

from net import run
from parts import Part

PREFIX = "/bandwise/"
ETCDCTL = ["env", "ETCDCTL_API=3", "etcdctl"]


def coded(text):
    return base64.b64encode(text.encode()).decode()


class Etcd:
    """Three members, each in its namespace with a folder of its own."""

    def __init__(self, net, folder, names):
        self.net, self.folder, self.names = net, folder, names
        self.peers = {name: f"http://{net.addresses[name]}:2380" for name in names}
        self.clients = {name: f"http://{net.addresses[name]}:2379" for name in names}
        self.cluster = ",".join(f"{name}={peer}" for name, peer in self.peers.items())
        self.members = {name: Part(name, self.command(name), f"{folder}/{name}.log") for name in names}

    def data(self, name):
        return f"{self.folder}/{name}/data"

    def command(self, name):
        peer, client = self.peers[name], self.clients[name]
        return [
            "ip", "netns", "exec", self.net.namespace(name), "etcd", "--name", name, "--data-dir", self.data(name),
            "--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer, "--listen-client-urls", client,
            "--advertise-client-urls", client, "--initial-cluster", self.cluster, "--initial-cluster-state", "new",
            # The default from etcd 3.5 on: a member that comes back does not depose the leader.
            "--logger", "zap", "--pre-vote",
        ]

    def ask(self, name, path, body, timeout=1):
        """Asks a member by its HTTP interface."""
        connection = http.client.HTTPConnection(self.net.addresses[name], 2379, timeout=timeout)
        try:
            connection.request("POST", path, json.dumps(body))
            answer = connection.getresponse()
            text = answer.read()
            if answer.status != 200:
                raise OSError(f"{name}{path}: {answer.status} {text[:200]}")
            return json.loads(text)
        finally:
            connection.close()

    def anyone(self, path, body, seconds=10):
        """Asks the members in turn until one answers."""
        until = time.monotonic() + seconds
        while True:
            for name in self.names:
                try:
                    return self.ask(name, path, body)
                except (OSError, http.client.HTTPException, ValueError) as error:
                    last = error
            if time.monotonic() > until:
                raise OSError(f"no member of etcd answers: {last}")
            time.sleep(0.05)

    def leader(self):
        """Returns the name of the leader, or `None` if no member knows one."""
        for name in self.names:
            try:
                status = self.ask(name, "/v3/maintenance/status", {}, 0.3)
                members = self.ask(name, "/v3/cluster/member/list", {}, 0.3)["members"]
            except (OSError, http.client.HTTPException, ValueError):
                continue
            for member in members:
                if member["ID"] == status.get("leader"):
                    return member["name"]
        return None

    def move_leader(self, to):
        """Lets a member lead. Returns whether the leader moved."""
        leader = self.leader()
        if leader in (None, to):
            return False
        try:
            members = self.ask(leader, "/v3/cluster/member/list", {})["members"]
            [target] = [member["ID"] for member in members if member["name"] == to]
            self.ask(leader, "/v3/maintenance/transfer-leadership", {"targetID": target}, 3)
        except (OSError, http.client.HTTPException, ValueError):
            return False
        return True

    def start(self):
        for member in self.members.values():
            member.start()
        self.anyone("/v3/kv/range", {"key": coded(PREFIX)}, 20)

    def delete_prefix(self):
        """Deletes all keys once: a suspended member that carries out the request later finds another count."""
        count, end = coded("deleted"), PREFIX[:-1] + chr(ord("/") + 1)
        before = self.anyone("/v3/kv/range", {"key": count}).get("kvs", [{"version": "0"}])[0]["version"]
        same = {"key": count, "target": "VERSION", "result": "EQUAL", "version": before}
        delete = {"request_delete_range": {"key": coded(PREFIX), "range_end": coded(end)}}
        self.anyone("/v3/kv/txn", {"compare": [same], "success": [delete, {"request_put": {"key": count, "value": ""}}]})

    def snapshot(self, path):
        """Saves a snapshot of a member that has all data, or nothing if none has."""
        for name in self.names:
            try:
                # A linearizable read: what the member had not learned, it knows then.
                self.ask(name, "/v3/kv/range", {"key": coded(PREFIX)})
                run(*ETCDCTL, f"--endpoints={self.clients[name]}", "--command-timeout=2s", "snapshot", "save", path)
                return True
            except (OSError, http.client.HTTPException, RuntimeError):
                continue
        return False

    def replaced(self, snapshot, between):
        """Loses all members, and calls `between`. An empty cluster, or one from a snapshot, takes their place."""
        for member in self.members.values():
            member.lock.acquire()
        try:
            for name, member in self.members.items():
                member.kill()
                shutil.rmtree(self.data(name), ignore_errors=True)
                if snapshot:
                    self.restore(name, snapshot)
            between()
            for member in self.members.values():
                member.start()
        finally:
            for member in self.members.values():
                member.lock.release()

    def restore(self, name, snapshot):
        """Makes the data of a member from a snapshot, as soon as its disk has room."""
        own = ["--name", name, "--data-dir", self.data(name), "--initial-advertise-peer-urls", self.peers[name]]
        until = time.monotonic() + 20
        while True:
            try:
                return run(*ETCDCTL, "snapshot", "restore", snapshot, "--initial-cluster", self.cluster, *own)
            except RuntimeError:
                if time.monotonic() > until:
                    raise
                shutil.rmtree(self.data(name), ignore_errors=True)
                time.sleep(0.1)
