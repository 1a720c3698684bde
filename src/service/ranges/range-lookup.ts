/** Finds the lists that contain an address: lists of operators of crawlers, and lists of networks. */

import { type Address, toAddressText } from "../../address/address.ts";
import { maskAddress, toPrefixText } from "../../address/prefix.ts";
import { findPrefix } from "../../address/prefix-set.ts";
import type { Network } from "../../detect/verification.ts";
import type { OperatorList } from "../../verify/lists/operator-lists.ts";
import type { Networks } from "../../verify/networks/networks.ts";
import type { OperatorOf } from "./published-lists.ts";

/** The answer of `GET /ranges?ip=`. */
export interface RangeLookup {
  readonly ip: string;
  readonly operators: readonly OperatorRange[];
  /** The first is the member `network` of Check. */
  readonly networks: readonly NetworkRange[];
}

interface OperatorRange {
  readonly operator: string;
  readonly crawlers: readonly string[];
  readonly prefix: string;
  readonly sources: readonly string[];
  readonly asOf: string;
}

interface NetworkRange extends Network {
  readonly prefix: string;
}

export function lookUp(
  address: Address,
  lists: readonly OperatorList[],
  networks: Networks | undefined,
  operatorOf: OperatorOf,
): RangeLookup {
  const ip = toAddressText(address);
  return {
    ip,
    operators: lists.flatMap((list) => inOperator(address, list, operatorOf)),
    networks: inNetworks(ip, address, networks),
  };
}

function inOperator(address: Address, from: OperatorList, operatorOf: OperatorOf): OperatorRange[] {
  const { proof, list } = from;
  const length = list.table.find(address);
  if (length === undefined) return [];
  return [
    {
      operator: operatorOf(from),
      crawlers: proof.crawlers,
      prefix: toPrefixText({ address: maskAddress(address, length), length }),
      sources: proof.ranges?.map(({ url }) => url) ?? [],
      asOf: new Date(list.asOf).toISOString(),
    },
  ];
}

function inNetworks(ip: string, address: Address, networks: Networks | undefined): readonly NetworkRange[] {
  if (networks?.find(ip) === undefined) return [];
  const found = networks.sources.flatMap(({ id }) => {
    const list = networks.list(id);
    const prefix = list && findPrefix(list.prefixes, address);
    return list === undefined || prefix === undefined ? [] : [{ network: list.network, prefix }];
  });
  return found
    .toSorted((one, other) => other.prefix.length - one.prefix.length)
    .map(({ network, prefix }) => ({ ...network, prefix: toPrefixText(prefix) }));
}
