/** Message templates, each for one device or for any device. Knows neither HTTP nor SQL. */
import { entryOf } from '../../audit/actor.ts'
import type { Actor, AuditEntry, AuditStore } from '../../audit/audit.ts'
import { BrokerError } from '../vocabulary/errors.ts'
import type { Submission, SubmitKey } from '../vocabulary/message.ts'
import type { Guarantee } from '../vocabulary/status.ts'
import {
  hasNoTerm,
  NO_TERMS,
  type TemplateTerms,
  type Terms,
  templateTermsOf,
} from '../vocabulary/term-table.ts'
import { checkTerms } from '../vocabulary/terms.ts'
import type { Broker } from './broker.ts'
import { type SentLine, sendToMany } from './multi-send.ts'
import type { Submitted } from './submissions.ts'

/** Template without an id. The terms are defaults of its messages; null selects the settings of the device. */
export interface NewTemplate extends TemplateTerms {
  /** Id of the client that owns the template, which is sent only to its device; null for any device. */
  readonly clientId: number | null
  readonly description: string
  readonly command: string
  readonly guarantee: Guarantee
  /** A JSON object as the client wrote it. */
  readonly data: string
}

export interface Template extends NewTemplate {
  readonly id: number
  /** Device id of the owner; null for any device. */
  readonly deviceId: string | null
}

/** Conditions on a template. An omitted condition matches every template. */
export interface TemplateFilter {
  readonly clientId?: number | undefined
  readonly deviceId?: string | undefined
}

/**
 * Storage contract. Promises resolve when the change is durable. Deleting a client deletes its templates. A verb with
 * `audit` adds the line to the audit trail in the transaction of the change, unless it changes nothing.
 */
export interface TemplateStore {
  /** Lists the templates that match a filter, newest first. */
  list(filter: TemplateFilter): Promise<Template[]>
  /** Returns null for an unknown template. */
  get(id: number): Promise<Template | null>
  /**
   * Stores a template. Returns its id, which becomes the object of the audit line; null if the owner does not exist.
   */
  add(template: NewTemplate, audit?: AuditEntry | null): Promise<number | null>
  /** Replaces the content of a template. Returns false if the template or the owner does not exist. */
  replace(id: number, template: NewTemplate, audit?: AuditEntry | null): Promise<boolean>
  /** Deletes a template. Returns false if it does not exist. */
  remove(id: number, audit?: AuditEntry | null): Promise<boolean>
}

export interface TemplatesOptions {
  readonly templates: TemplateStore
  readonly broker: Pick<Broker, 'enqueue'>
  readonly audit: Pick<AuditStore, 'add' | 'complete'>
  /** Returns the device id of a client. @throws when the client does not exist or is no device */
  readonly deviceOf: (clientId: number) => string
}

export class Templates {
  readonly #options: TemplatesOptions

  constructor(options: TemplatesOptions) {
    this.#options = options
  }

  /** Lists the templates that match a filter, newest first. */
  list(filter: TemplateFilter): Promise<Template[]> {
    return this.#options.templates.list(filter)
  }

  /** Returns a template. @throws {BrokerError} unknown-template */
  async get(id: number): Promise<Template> {
    return (await this.#options.templates.get(id)) ?? unknown(id)
  }

  /** Stores a template and returns it. @throws {BrokerError} bad-terms, and the errors of `deviceOf` */
  async create(template: NewTemplate, by: Actor): Promise<Template> {
    const { templates, deviceOf } = this.#options
    checkTerms(termsOf(template), template.guarantee)
    const deviceId = template.clientId === null ? null : deviceOf(template.clientId)
    const { description, command, guarantee } = template
    const audit = entryOf(by, 'template.create', null, { deviceId, description, command, guarantee })
    const id = await templates.add(template, audit)
    // The owner was deleted meanwhile. `deviceOf` throws as soon as the list of clients has the deletion.
    return id === null ? this.create(template, by) : { ...template, id, deviceId }
  }

  /**
   * Replaces the content of a template, and returns the template.
   *
   * @throws {BrokerError} unknown-template, bad-terms, and the errors of `deviceOf`
   */
  async replace(id: number, template: NewTemplate, by: Actor): Promise<Template> {
    const { templates, deviceOf } = this.#options
    await this.get(id)
    checkTerms(termsOf(template), template.guarantee)
    const deviceId = template.clientId === null ? null : deviceOf(template.clientId)
    const { description, command, guarantee } = template
    const audit = entryOf(by, 'template.change', id, { deviceId, description, command, guarantee })
    if (!(await templates.replace(id, template, audit))) unknown(id)
    return { ...template, id, deviceId }
  }

  /** Deletes a template. @throws {BrokerError} unknown-template */
  async remove(id: number, by: Actor): Promise<void> {
    if (!(await this.#options.templates.remove(id, entryOf(by, 'template.remove', id)))) unknown(id)
  }

  /**
   * Sends the command of a template to its owner. For a template without an owner use {@link sendToDevices}.
   *
   * @param by the client that sends the command
   * @throws {BrokerError} unknown-template, and the errors of `enqueue`
   */
  async send(id: number, by: Actor, idempotency: SubmitKey | null = null): Promise<Submitted> {
    const template = await this.get(id)
    const { deviceId, command } = template
    if (deviceId === null) return unknown(id)
    const submission = { ...commandOf(template, by), deviceId, idempotency }
    const audit = entryOf(by, 'template.send', id, { deviceId, command })
    return this.#options.broker.enqueue(submission, null, audit)
  }

  /**
   * Sends the command of a template for any device to some devices; see {@link sendToMany}.
   *
   * @throws {BrokerError} unknown-template, also for a template of one device
   */
  async sendToDevices(
    id: number,
    deviceIds: readonly string[],
    by: Actor,
    key: string | null,
  ): Promise<SentLine[]> {
    const template = await this.get(id)
    if (template.deviceId !== null) return unknown(id)
    const entry = entryOf(by, 'template.send', id, { command: template.command })
    return sendToMany(this.#options, commandOf(template, by), deviceIds, key, entry)
  }
}

function commandOf(template: Template, by: Actor): Omit<Submission, 'deviceId'> {
  const { command, guarantee, data } = template
  const terms = termsOf(template)
  return { command, guarantee, data, senderId: by.clientId, terms: hasNoTerm(terms) ? null : terms }
}

function termsOf(template: NewTemplate): Terms {
  return { ...NO_TERMS, ...templateTermsOf(template) }
}

function unknown(id: number): never {
  throw new BrokerError('unknown-template', `There is no template ${id}.`, undefined, { id })
}
