/** Applies changes of the catalogue to the application of a process, one after the other. */
import { detector as builtIn } from "../../detect/built-in/detector.ts";
import type { Application } from "../application.ts";
import { type CatalogueChange, receiveCatalogue } from "./sent-catalogue.ts";

/** Makes the function that applies changes, in their order, as soon as there is an application. */
export function createApplyChange(
  application: Promise<Pick<Application, "use" | "warn">>,
): (change: CatalogueChange) => void {
  let last = Promise.resolve();
  return (change) => {
    last = last.then(async () => apply(await application, change));
  };
}

async function apply({ use, warn }: Pick<Application, "use" | "warn">, change: CatalogueChange): Promise<void> {
  const { catalogue, warnings } = change;
  try {
    if (catalogue !== undefined) use(catalogue === null ? builtIn : await receiveCatalogue(catalogue));
    warn(warnings);
  } catch (error) {
    warn([`a catalogue could not be used: ${error instanceof Error ? error.message : String(error)}`]);
  }
}
