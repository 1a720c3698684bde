/** The runtimes that are measured, as they are installed here. */
import { runtimes as programs } from "../../test/cli/command-line.ts";

export const runtimes = (["Node", "Bun"] as const).map((name) => ({ name, program: programs[name] }));
