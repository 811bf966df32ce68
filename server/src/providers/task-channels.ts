/** The channel types of platforms of tasks: they answer no calls, only tasks. */

import { platforms } from "#platforms/registry.ts";
import { bearer } from "./openai-compatible.ts";
import type { Provider } from "./provider.ts";
import { readFault } from "./read-fault.ts";

export const taskProviders: readonly Provider[] = platforms.flatMap(
  ({ channelTypes, models, source }) =>
    channelTypes.map((each): Provider => ({
      ...each,
      formats: {},
      modelsPath: null,
      authHeaders: bearer,
      readFault,
      keyForm: each.keyForm ?? "API key",
      otherForm: null,
      testable: false,
      defaultModels: models,
      source,
    })),
);
