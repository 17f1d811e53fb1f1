// Aedes by itself: nobody logs in, nothing is checked or kept.
import { createServer } from 'node:net'
import { Aedes } from 'aedes'

const aedes = await Aedes.createBroker()
const server = createServer((socket) => aedes.handle(socket)).listen(
  Number(process.env.PORT),
  '127.0.0.1',
  () => console.log(JSON.stringify({ url: `mqtt://127.0.0.1:${server.address().port}` })),
)
