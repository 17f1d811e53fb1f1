/**
 * The ways in which the server by hand stores a command. The first does all of it by hand; each other one takes one part more
 * from the product. Knows no server.
 */
import { join } from 'node:path'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import Database from 'better-sqlite3'
import { Broker } from '../../build/src/broker/engine/broker.js'
import { DiskFloor } from '../../build/src/broker/engine/disk-floor.js'
import { ParkedMessages } from '../../build/src/broker/engine/parked-messages.js'
import { Presence } from '../../build/src/broker/views/presence.js'
import { ChangeCounts } from '../../build/src/broker/vocabulary/change-counts.js'
import { createLog } from '../../build/src/process/create-log.js'
import { Writer } from '../../build/src/store/sqlite/database/writer.js'
import { openStorage } from '../../build/src/store/sqlite/database.js'
import { MessageIndex } from '../../build/src/store/sqlite/messages/message-index.js'
import { INSERT_MESSAGE, insertedValues } from '../../build/src/store/sqlite/schema/message-columns.js'
import { migrate } from '../../build/src/store/sqlite/schema/migrations.js'
import { ProducerMessage, payloadParser, toSubmission } from '../../build/src/wire/messages.js'
import { groupCommit } from './group-commit.js'

/** Log of the product's parts. Its level `debug` is off. */
export const log = await createLog('info')

/** Log that does nothing. */
const SILENT = { debug() {}, info() {}, error() {} }
const LIMITS = { messages: 100_000_000, bytes: 0 }
const valid = TypeCompiler.Compile(ProducerMessage)
const JSON_HEADERS = [['content-type', 'application/json']]

/** Each rung with its name, and with what opens it: a function that takes one command and answers it. */
export const RUNGS = [
  { name: 'by hand', open: (directory) => takeByHand(storeByHand(directory, false)) },
  { name: '+ index by device', open: (directory) => takeByHand(storeByHand(directory, true)) },
  { name: '+ writer: a sync on another thread', open: (directory) => takeByHand(storeByWriter(directory)) },
  { name: '+ store: limits, memory, events', open: (directory) => takeByHand(storeByStore(directory)) },
  {
    name: '+ broker: settings of the device, validity, disk floor',
    open: (directory) => takeByHand(storeBy(openBroker(directory, { counts: false, log: SILENT }))),
  },
  {
    name: '+ counters: statuses by cause, parked messages',
    open: (directory) => takeByHand(storeBy(openBroker(directory, { log: SILENT }))),
  },
  {
    name: '+ logging: calls for a level that is off',
    open: (directory) => takeByHand(storeBy(openBroker(directory))),
  },
  { name: '+ body: exact text, all fields', open: (directory) => takeByWire(storeBy(openBroker(directory))) },
  {
    name: '+ promises: of the method and of its answer',
    open: (directory) => takeByPromise(openBroker(directory)),
  },
]

/** Parses and checks the body by hand. A store that can read the next message of a device answers polls too. */
function takeByHand(store) {
  const take = (sender, device, bytes, answer) => {
    const body = parse(bytes.toString('utf8'))
    if (!valid.Check(body)) return answer(400, '{"error":"Bad Request"}')
    const { command, believerGuarantee: guarantee = 'RECEIPT_CONFIRMATION', messageBirthCertificate } = body
    const { tmpId = null, producerDeviseId: producerId = null } = messageBirthCertificate ?? {}
    const message = {
      deviceId: device,
      command,
      guarantee,
      data: JSON.stringify(body.data ?? {}),
      senderId: sender,
      replyTo: tmpId === null && producerId === null ? null : { producerId, correlationId: tmpId },
      details: false,
      terms: null,
      replaces: null,
      idempotency: null,
      links: null,
    }
    store(message, answer)
  }
  take.poll = store.next && ((device) => JSON.stringify(store.next(device)))
  return take
}

/** Parses and checks the body as the product does. */
function takeByWire(store) {
  const parseMessage = payloadParser(ProducerMessage)
  return (sender, device, bytes, answer) => {
    store(toSubmission(device, parseMessage(bytes), sender), answer)
  }
}

function parse(text) {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const bodyOf = (id, { replyTo }) =>
  JSON.stringify({ id, tmpId: replyTo?.correlationId ?? null, deliveryStatus: 'NOT_DELIVERED' })

/** The order of the queues, by hand: `add` returns the id of a new message of a device, `head` the id of the oldest. */
function queuesByHand() {
  const queues = new Map()
  let lastId = 0
  return {
    add: (device) => {
      const id = ++lastId
      const queue = queues.get(device)
      if (queue) queue.push(id)
      else queues.set(device, [id])
      return id
    },
    head: (device) => queues.get(device)?.[0],
  }
}

function openDatabase(directory) {
  const db = new Database(join(directory, 'by-hand.db'))
  db.pragma('journal_mode = WAL')
  migrate(db)
  return db
}

function storeByHand(directory, hasIndex) {
  const db = openDatabase(directory)
  const insert = db.prepare(
    `INSERT INTO messages
       (id, device_id, command, guarantee, tmp_id, producer_id, sender_id, created_at_ms, changed_at_ms, data)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const read = db.prepare(
    'SELECT id, command, guarantee AS deliveryGuarantee, created_at_ms AS createdDate, data FROM messages WHERE id = ?',
  )
  const queues = queuesByHand()
  let durableId = 0
  const { write, isIdle } = groupCommit(
    db,
    ({ id, now, message: { deviceId, command, guarantee, replyTo, senderId, data } }) =>
      insert.run(
        ...[id, deviceId, command, guarantee, replyTo?.correlationId ?? null, replyTo?.producerId ?? null],
        ...[senderId, now, now, data],
      ),
    ({ answer, id, message }) => {
      durableId = id
      answer(200, bodyOf(id, message))
    },
  )
  if (hasIndex) fillIndex(db, isIdle, () => durableId)
  const store = (message, answer) =>
    write({ answer, id: queues.add(message.deviceId), message, now: Date.now() })
  store.next = (device) => {
    const id = queues.head(device)
    return id === undefined || id > durableId ? {} : read.get(id)
  }
  return store
}

/** Fills the product's index by device while no command waits. */
function fillIndex(db, isIdle, newest) {
  const writer = {
    get isIdle() {
      return isIdle()
    },
    prepare: (sql) => db.prepare(sql),
    // Resolves in the next turn, so that requests which arrived meanwhile come first.
    write: (task) => {
      db.transaction(task)()
      return new Promise((resolve) => setImmediate(resolve))
    },
  }
  return new MessageIndex(db, writer, newest)
}

function storeByWriter(directory) {
  const db = openDatabase(directory)
  const writer = new Writer(db, (error) => console.error(error))
  const insert = writer.prepare(INSERT_MESSAGE)
  const { add } = queuesByHand()
  let durableId = 0
  new MessageIndex(db, writer, () => durableId)
  return (message, answer) => {
    const id = add(message.deviceId)
    void writer
      .write(() => insert.run(...insertedValues(id, Date.now(), message)))
      .then(() => {
        durableId = id
        answer(200, bodyOf(id, message))
      })
  }
}

function open(directory) {
  return openStorage({ directory, onFailure: console.error, durationsMs: [30_000], limits: LIMITS })
}

function storeByStore(directory) {
  const { messages } = open(directory)
  return (message, answer) => {
    void messages.enqueue(message, LIMITS).then(({ id }) => answer(200, bodyOf(id, message)))
  }
}

/** Opens the product's broker over its store. */
export function openBroker(directory, { counts = true, log: brokerLog = log } = {}) {
  const { messages, metrics } = open(directory)
  const broker = new Broker({
    ...{ messages, queueLimit: LIMITS.messages, log: brokerLog },
    presence: new Presence(),
    ...(counts && { changes: new ChangeCounts() }),
    disk: new DiskFloor({ freeBytes: async () => null, log }),
  })
  if (!counts) return broker
  const parked = new ParkedMessages(metrics)
  broker.onChange((change) => parked.changed(change))
  return broker
}

/** Stores by the product's broker. */
function storeBy(broker) {
  return (message, answer) => {
    void broker.enqueue(message).then(({ id }) => answer(200, bodyOf(id, message)))
  }
}

function takeByPromise(broker) {
  const parseMessage = payloadParser(ProducerMessage)
  const responseTo = respondBy(broker)
  return (sender, device, bytes, answer) => {
    void responseTo(sender, device, parseMessage(bytes)).then(({ status, body }) => answer(status, body))
  }
}

/** Returns a function that stores by the product's broker, with the promises that a request has in the product. */
export function respondBy(broker) {
  const method = async (submission) => {
    const { id } = await broker.enqueue(submission)
    return bodyOf(id, submission)
  }
  return (sender, device, message) =>
    method(toSubmission(device, message, sender)).then((body) => ({
      status: 200,
      headers: JSON_HEADERS,
      body,
    }))
}
