/**
 * Puts the HTTP parts of the product into the server by hand: first its server with a route by hand, then its framework, part
 * by part. Each rung stores by the product's broker.
 */
import { fileURLToPath } from 'node:url'
import { App } from '../../build/src/web/app.js'
import { keywordsOf } from '../../build/src/web/keywords.js'
import { Lifecycle } from '../../build/src/web/lifecycle.js'
import { match, verbFor } from '../../build/src/web/match.js'
import { listenNode } from '../../build/src/web/node.js'
import { decodeSegments, positionalArguments } from '../../build/src/web/path.js'
import { readSite } from '../../build/src/web/read-site.js'
import { listenUws } from '../../build/src/web/uws.js'
import { ProducerMessage, payloadParser } from '../../build/src/wire/messages.js'
import { log, openBroker, respondBy } from './by-hand-rungs.js'
import { access } from './producer-tree/_access.js'
import { clientOf } from './token.js'

const PATH = '/producer/request/'
const BODY_LIMIT = 262_144
const TREE = fileURLToPath(new URL('producer-tree', import.meta.url))
const UNAUTHORIZED = { status: 401, headers: [], body: '{"error":"Unauthorized"}' }

/** Rungs above those of `by-hand-rungs.js`. `open` returns the application for the product's server. */
export const WEB_RUNGS = [
  {
    name: '+ server: headers, rules of HTTP',
    open: (directory) => appByHand(openBroker(directory), byPath()),
  },
  {
    name: '+ routing: segments, look-ups, positional arguments',
    open: async (directory) => appByHand(openBroker(directory), byMatch(await readSite([TREE]))),
  },
  {
    name: '+ keyword arguments: media type, query, merging',
    open: async (directory) => appByHand(openBroker(directory), byKeywords(await readSite([TREE]))),
  },
  {
    name: '+ class: call, instance, reply',
    open: (directory) => appOf(openBroker(directory)),
  },
  {
    name: '+ access: the token and the role of the caller',
    open: (directory) => {
      access.isByFramework = true
      return appOf(openBroker(directory))
    },
  },
]

/** Listens with the product's server. */
export function listenWith(engine, app) {
  return (engine === 'uws' ? listenUws : listenNode)(app, { host: '127.0.0.1', port: 0, tls: null })
}

/** @param find returns the device of a request, and a function that makes the message of its body */
function appByHand(broker, find) {
  const respond = respondBy(broker)
  return {
    route: (head) => {
      const sender = clientOf(head.header('authorization'))
      if (sender === null) return UNAUTHORIZED
      const { device, parse } = find(head)
      return {
        bodyLimit: BODY_LIMIT,
        streamsBody: false,
        run: (bytes) => respond(sender, device, parse(bytes)),
      }
    },
    report: (error) => console.error(error),
  }
}

function byPath() {
  const parse = payloadParser(ProducerMessage)
  return ({ path }) => ({ device: path.slice(PATH.length), parse })
}

/** Finds the class of a request as the framework does. Returns its method too. */
function byMatch({ tree }) {
  const parse = payloadParser(ProducerMessage)
  return ({ method, path }) => {
    const found = match(tree, method, decodeSegments(path))
    const verb = verbFor(found.handler, method)
    return { device: positionalArguments(found, verb, path)[0], parse, verb }
  }
}

function byKeywords(site) {
  const find = byMatch(site)
  return (head) => {
    const { device, verb } = find(head)
    const request = {
      query: head.query,
      contentType: head.header('content-type'),
      contentEncoding: head.header('content-encoding'),
    }
    return { device, parse: (bytes) => keywordsOf(request, bytes, verb.signature, verb.keywords) }
  }
}

async function appOf(broker) {
  const site = await readSite([TREE])
  await new Lifecycle(site, { broker }, log).open()
  return new App({ site, bodyLimit: BODY_LIMIT, log })
}
