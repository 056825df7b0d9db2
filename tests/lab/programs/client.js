// Requests a page five times at once: client.js ADDRESS PORT
const http = require("http");
const [host, port] = process.argv.slice(2);
for (let i = 0; i < 5; i++) {
  http.get({ host, port, agent: false }, (answer) => answer.on("data", (data) => process.stdout.write(data)));
}
