/** Adds own verification methods, which replace those of the catalogue for the crawlers that they name. */
import type { Proof, VerificationFacts } from "../../detect/verification.ts";
import type { CustomCatalogue } from "./merge-custom.ts";

/** The facts with the rows; of several rows for one crawler the first counts. */
export function withVerification(
  { proofs, ranges }: VerificationFacts,
  rows: CustomCatalogue["verification"],
): VerificationFacts {
  if (rows.length === 0) return { proofs, ranges };
  const taken = new Set<string>();
  const untaken = (names: readonly string[]): string[] => names.filter((name) => !taken.has(name.toLowerCase()));
  const ids = new Set(proofs.map(({ id }) => id));
  const own: Proof[] = [];
  for (const { value } of rows) {
    const crawlers = untaken(value.crawlers);
    if (crawlers.length === 0) continue;
    const id = freeId(crawlers[0]!, ids);
    ids.add(id);
    own.push({ page: "", ...value, crawlers, id });
    for (const name of crawlers) taken.add(name.toLowerCase());
  }
  const others = proofs.flatMap((proof) => {
    const crawlers = untaken(proof.crawlers);
    return crawlers.length === 0 && proof.crawlers.length > 0 ? [] : { ...proof, crawlers };
  });
  return { proofs: [...own, ...others], ranges };
}

/** An id that names files and is not one of `taken`: `own-acme-monitor`. */
function freeId(name: string, taken: ReadonlySet<string>): string {
  const words = name.toLowerCase().match(/[a-z0-9]+/g) ?? ["crawler"];
  const id = `own-${words.join("-")}`;
  let free = id;
  for (let number = 2; taken.has(free); number++) free = `${id}-${number}`;
  return free;
}
