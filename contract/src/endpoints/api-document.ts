/** The description of the console API as an OpenAPI document, for programs and for its page. */

import { z } from "zod";
import { endpoint } from "./endpoint.ts";

const apiDocument = z.looseObject({
  /** Version of the OpenAPI specification. */
  openapi: z.literal("3.1.0"),
  info: z.looseObject({ title: z.string(), version: z.string() }),
  paths: z.record(z.string(), z.unknown()),
});

/** Returns this description: every call of the console API, with its input and its answer. */
export const readApiDocument = endpoint({
  method: "GET",
  path: "/api/openapi.json",
  access: "admin",
  bare: true,
  input: z.object({}),
  output: apiDocument,
});
