/** Records of a fault run: what producers and devices saw, and what the database holds at the end. Knows no server. */
import type { Cause, Guarantee, Status } from '../../../src/broker/vocabulary/status.ts'
import type { Heard } from './presence.ts'

/** A command that a producer submitted, perhaps several times with one idempotency key. */
export interface Submission {
  /** Number of the submission in the run, from 1. */
  readonly number: number
  /** Text in the data of the message, unique in the run. */
  readonly tag: string
  readonly deviceId: string
  /** Producer that receives the statuses over MQTT; null when no producer uses MQTT. */
  readonly replyTo: string | null
  readonly guarantee: Guarantee
  /** Ids that the nodes answered. MQTT answers none. */
  readonly ids: Set<number>
  isAnswered: boolean
}

/** An event of one device. `confirmed`: the server has confirmed the acknowledgement of the device. */
export interface DeviceEvent {
  readonly is: 'seen' | 'acknowledged' | 'confirmed'
  readonly id: number
  /** Number of the device's connection. */
  readonly connection: number
  /** Process of the node that the connection leads to. */
  readonly process: number
}

/** A status that a producer, or a reader of events, received. */
export interface Announcement {
  readonly id: number
  readonly status: Status
  /** Name of the connection, unique in the run. */
  readonly connection: string
}

/** The events of all clients of a run, in the order in which the process of the test saw them. */
export class RunRecords {
  readonly submissions: Submission[] = []
  readonly devices = new Map<string, DeviceEvent[]>()
  readonly announcements: Announcement[] = []
  /** Times in which the devices with connections of their own heard a server. */
  readonly heard = new Map<string, Heard[]>()
  /**
   * Connections that lasted from before the load until the end, with their producer; null for a reader of events, which
   * receives the statuses of all messages.
   */
  readonly listeners = new Map<string, string | null>()
  /** Answers that no client may get, such as status 500. */
  readonly unexpected: string[] = []
  refused = 0

  /** Adds a submission with a tag of its own. */
  submission(
    deviceId: string,
    guarantee: Guarantee,
    replyToOf: (number: number) => string | null = () => null,
  ): Submission {
    const number = this.submissions.length + 1
    const submission = {
      ...{ number, tag: `t${number}`, deviceId, guarantee, replyTo: replyToOf(number) },
      ...{ ids: new Set<number>(), isAnswered: false },
    }
    this.submissions.push(submission)
    return submission
  }

  /** Returns the times in which a device heard a server. The device adds its times to the list. */
  heardBy(deviceId: string): Heard[] {
    const times = this.heard.get(deviceId) ?? []
    this.heard.set(deviceId, times)
    return times
  }

  /** Returns the events of a device. The device adds its events to the list. */
  eventsOf(deviceId: string): DeviceEvent[] {
    const events = this.devices.get(deviceId) ?? []
    this.devices.set(deviceId, events)
    return events
  }
}

export interface StoredMessage {
  readonly id: number
  readonly deviceId: string
  readonly tag: string
  readonly guarantee: Guarantee
  readonly status: Status
  readonly cause: Cause | null
  /** Time at which the message left its queue; null while it is pending. */
  readonly leftAtMs: number | null
}

export interface StoredAttempt {
  readonly messageId: number
  readonly atMs: number
  readonly number: number
  /** Name of the transport: `MQTT`, or `REST` for a poll. */
  readonly transport: string
}

/** The contents of the database at the end of a run. */
export interface StoredRun {
  readonly messages: readonly StoredMessage[]
  readonly attempts: readonly StoredAttempt[]
}
