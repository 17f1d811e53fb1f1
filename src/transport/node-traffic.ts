/** Counts the messages that a node exchanges with the other nodes of its installation. */
export class NodeTraffic {
  /** Number of nodes from which this one receives messages. */
  links = 0
  /** Messages that were sent to other nodes. */
  sent = 0
  /** Messages that were received from other nodes. */
  received = 0
  /** Messages that were dropped because another node read too slowly. */
  dropped = 0
}
