/** Finds the signals of requests: what contradicts the user agent in the other header fields. conditions.ts has them all. */

import type { CompiledCatalogue } from "../../detect/compiled-catalogue.ts";
import { type Signal, signalIds } from "../../detect/signals.ts";
import type { Verdict } from "../../detect/verdict.ts";
import { createOperatorOf } from "../lists/operator-lists.ts";
import { type Fields, type RequestHeaders, toFields } from "../request-headers.ts";
import { toAgentUrl, toDirectoryUrl } from "../signature/agent-address.ts";
import { parseSignatures, SignatureError } from "../signature/signature-fields.ts";
import { toBrowser } from "./browser.ts";
import { conditions, type Signer } from "./conditions.ts";
import { toBrands } from "./request-facts.ts";

export interface Signals {
  /** The signals of a request, in the order of their ids; none if there are too many fields. Never throws. */
  find(verdict: Verdict, headers: RequestHeaders): readonly Signal[];
}

/** Makes what finds signals; the catalogue tells whose crawlers an agent signs for. */
export function createSignals(catalogue: Pick<CompiledCatalogue, "items" | "verification">): Signals {
  let signers: ReadonlyMap<string, Signer> | undefined;

  /** The agents that the catalogue knows, by their addresses. */
  function readSigners(): ReadonlyMap<string, Signer> {
    const operatorOf = createOperatorOf(catalogue.items);
    return new Map(
      catalogue.verification.proofs.flatMap((proof) => {
        const operator = operatorOf(proof);
        return operator === undefined
          ? []
          : (proof.agents ?? []).map((agent) => [toDirectoryUrl(agent), { agent, operator }] as const);
      }),
    );
  }

  function signersOf(fields: Fields): readonly Signer[] {
    if (fields("signature-agent") === undefined) return [];
    signers ??= readSigners();
    return agentsOf(fields).flatMap((url) => signers?.get(url) ?? []);
  }

  return {
    find(verdict, headers) {
      const fields = toFields(headers);
      if (fields === undefined) return [];
      const browser = toBrowser(verdict.useragent);
      const request = { verdict, fields, browser, brands: toBrands(fields), signers: signersOf(fields) };
      return signalIds.flatMap((id) => {
        const because = conditions[id](request);
        return because === undefined ? [] : [{ id, because }];
      });
    },
  };
}

/** The addresses of the agents that the signatures cover, verified or not. */
function agentsOf(fields: Fields): readonly string[] {
  return listOf(() => parseSignatures(fields)).flatMap((read) =>
    listOf(() => {
      const { agent } = read();
      const url = agent && toAgentUrl(agent.text, agent.type);
      return url === undefined ? [] : [url];
    }),
  );
}

/** What is read; nothing if it cannot be. */
function listOf<Item>(read: () => readonly Item[]): readonly Item[] {
  try {
    return read();
  } catch (error) {
    if (error instanceof SignatureError) return [];
    throw error;
  }
}
