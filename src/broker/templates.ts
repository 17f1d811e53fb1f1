/** Message templates: kept for a device, and sent to that device only. Knows neither HTTP nor SQL. */
import type { Broker } from './broker.ts'
import { BrokerError } from './errors.ts'
import type { Guarantee } from './status.ts'

export interface NewTemplate {
  /** Of the client that owns it. */
  readonly clientId: number
  readonly description: string
  readonly command: string
  readonly guarantee: Guarantee
  /** A JSON object as it was written. */
  readonly data: string
}

export interface Template extends NewTemplate {
  readonly id: number
  /** Of its owner. */
  readonly deviceId: string
}

/** What is left out lets every template pass. */
export interface TemplateFilter {
  readonly clientId?: number | undefined
  readonly deviceId?: string | undefined
}

/** The storage contract; promises resolve after the commit. Templates go with the client that owns them. */
export interface TemplateStore {
  /** Newest first. */
  list(filter: TemplateFilter): Promise<Template[]>
  get(id: number): Promise<Template | null>
  /** @returns its id; null when the owner is gone */
  add(template: NewTemplate): Promise<number | null>
  /** @returns false when there is none */
  remove(id: number): Promise<boolean>
}

export interface TemplatesOptions {
  readonly templates: TemplateStore
  readonly broker: Pick<Broker, 'enqueue'>
  /** The device that a client is. @throws when there is no such client, or it is no device */
  readonly deviceOf: (clientId: number) => string
}

export class Templates {
  readonly #options: TemplatesOptions

  constructor(options: TemplatesOptions) {
    this.#options = options
  }

  /** Newest first. */
  list(filter: TemplateFilter): Promise<Template[]> {
    return this.#options.templates.list(filter)
  }

  /** @throws {BrokerError} unknown-template */
  async get(id: number): Promise<Template> {
    return (await this.#options.templates.get(id)) ?? unknown(id)
  }

  /** @throws what `deviceOf` throws */
  async create(template: NewTemplate): Promise<Template> {
    const { templates, deviceOf } = this.#options
    const deviceId = deviceOf(template.clientId)
    const id = await templates.add(template)
    // Its owner was deleted meanwhile, and a client like it may have been made.
    return id === null ? this.create(template) : { ...template, id, deviceId }
  }

  /** @throws {BrokerError} unknown-template */
  async remove(id: number): Promise<void> {
    if (!(await this.#options.templates.remove(id))) unknown(id)
  }

  /**
   * Sends it to its owner, never to another address.
   *
   * @param senderId the client that asks for it
   * @returns the id of the message
   * @throws {BrokerError} unknown-template, and what `enqueue` throws
   */
  async send(id: number, senderId: string | null): Promise<number> {
    const { deviceId, command, guarantee, data } = await this.get(id)
    return this.#options.broker.enqueue({ deviceId, command, guarantee, data, senderId })
  }
}

function unknown(id: number): never {
  throw new BrokerError('unknown-template', `There is no template ${id}.`)
}
