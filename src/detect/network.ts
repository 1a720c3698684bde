/** Networks: what kind of network an address belongs to. Types and their words; src/verify/networks/ finds them. */

/** Of two networks with equally long prefixes, the one whose kind comes first is named. */
export const networkKinds = ["tor", "vpn", "relay", "hosting"] as const;
export type NetworkKind = (typeof networkKinds)[number];

/** The network of an address, according to the list that its provider publishes. Says nothing about crawlers. */
export interface Network {
  /** `hosting` is a cloud or server provider, `relay` and `vpn` pass on the requests of people, `tor` is an exit of Tor. */
  readonly kind: NetworkKind;
  readonly provider: string;
  /** The address of the provider's list, or of its documentation. */
  readonly source: string;
  /** When the list was last known to be right, in RFC 3339. */
  readonly asOf: string;
}
