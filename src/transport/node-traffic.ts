/** Counts the messages that a node exchanges with the other nodes of its installation. */
export class NodeTraffic {
  /** Number of nodes from which this node receives messages. */
  links = 0
  sent = 0
  received = 0
  /** Messages dropped because another node read too slowly. */
  dropped = 0
}
