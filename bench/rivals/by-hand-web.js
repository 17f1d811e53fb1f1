/**
 * Puts the HTTP parts of the product into the server by hand: first its server with a route by hand, then its framework with
 * one class. Each rung stores by the product's broker.
 */
import { fileURLToPath } from 'node:url'
import { App } from '../../dist/src/web/app.js'
import { Lifecycle } from '../../dist/src/web/lifecycle.js'
import { listenNode } from '../../dist/src/web/node.js'
import { readSite } from '../../dist/src/web/read-site.js'
import { listenUws } from '../../dist/src/web/uws.js'
import { log, openBroker, storeBy, takeByWire } from './by-hand-rungs.js'
import { access } from './producer-tree/_access.js'
import { clientOf } from './token.js'

const PATH = '/producer/request/'
const BODY_LIMIT = 262_144
const TREE = fileURLToPath(new URL('producer-tree', import.meta.url))

/** Rungs above those of `by-hand-rungs.js`. `open` returns the application for the product's server. */
export const WEB_RUNGS = [
  {
    name: '+ server: headers, rules of HTTP, promises',
    open: (directory) => routeByHand(takeByWire(storeBy(openBroker(directory)))),
  },
  {
    name: '+ framework: routing, arguments, class instance, reply',
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

function routeByHand(take) {
  return {
    route: (head) => {
      const sender = clientOf(head.header('authorization'))
      const device = head.path.slice(PATH.length)
      return {
        bodyLimit: BODY_LIMIT,
        streamsBody: false,
        run: (bytes) => new Promise((resolve) => answer(sender, device, bytes, resolve)),
      }
    },
    report: (error) => console.error(error),
  }

  function answer(sender, device, bytes, resolve) {
    if (sender === null) return resolve(toResponse(401, '{"error":"Unauthorized"}'))
    take(sender, device, bytes, (status, body) => resolve(toResponse(status, body)))
  }
}

function toResponse(status, body) {
  return { status, headers: [['content-type', 'application/json']], body }
}

async function appOf(broker) {
  const site = await readSite([TREE])
  await new Lifecycle(site, { broker }, log).open()
  return new App({ site, bodyLimit: BODY_LIMIT, log })
}
