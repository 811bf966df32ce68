import type { ProcessorId } from "@tollgate/contract/kinds/payment-processors.ts";
import { epay } from "./epay.ts";
import type { Processor } from "./processor.ts";
import { stripe } from "./stripe.ts";

/** All processors, one line each, sorted. */
export const processors: { readonly [Id in ProcessorId]: Processor } = {
  epay,
  stripe,
};

/** Finds a processor by the name in an address. */
export function findProcessor(id: string): Processor | undefined {
  const all: Readonly<Record<string, Processor>> = processors;
  return Object.hasOwn(all, id) ? all[id] : undefined;
}
