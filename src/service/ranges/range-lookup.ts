/** Finds the lists that contain an address: lists of operators of crawlers, and lists of networks. */

import { type Address, toAddressText } from "../../address/address.ts";
import { toPrefixText } from "../../address/prefix.ts";
import type { OperatorList } from "../../verify/lists/operator-lists.ts";
import type { Networks } from "../../verify/networks/networks.ts";
import type { OperatorRange, RangeLookup } from "../schemas.ts";
import { factsOf, type OperatorOf } from "./published-lists.ts";

export function lookUp(
  address: Address,
  lists: readonly OperatorList[],
  networks: Networks | undefined,
  operatorOf: OperatorOf,
): RangeLookup {
  const found = networks?.findAll(address) ?? [];
  return {
    ip: toAddressText(address),
    operators: lists.flatMap((list) => inOperator(address, list, operatorOf)),
    networks: found.map((prefix) => ({ ...prefix.network, prefix: toPrefixText(prefix) })),
  };
}

function inOperator(address: Address, published: OperatorList, operatorOf: OperatorOf): OperatorRange[] {
  const { list } = published;
  const prefix = list.table.find(address);
  if (prefix === undefined) return [];
  const { operator, crawlers, sources } = factsOf(published, operatorOf);
  return [{ operator, crawlers, prefix: toPrefixText(prefix), sources, asOf: new Date(list.asOf).toISOString() }];
}
