/** Answers with what programs can call, and with the console API as an OpenAPI document. */

import {
  type Callable,
  readCallerReference,
} from "@tollgate/contract/endpoints/caller-reference.ts";
import { readApiDocument } from "@tollgate/contract/endpoints/api-document.ts";
import type { Endpoint } from "@tollgate/contract/endpoints/endpoint.ts";
import { type Handler, handle } from "#http/handler.ts";
import { readNotes } from "./read-notes.ts" with { type: "macro" };
import { openDocument } from "./write-document.ts";

/** What the sources of the contract say of each endpoint; read when this file is compiled. */
const notes = readNotes();

export function apiDocumentHandlers({
  endpoints,
  callable,
  about,
  basePath,
}: {
  readonly callable: () => Callable[];
  readonly endpoints: () => readonly Endpoint[];
  readonly about: () => { readonly title: string; readonly version: string };
  /** The path below which clients see the gateway; empty: it has the whole host. */
  readonly basePath: string;
}) {
  const read = openDocument(endpoints, notes);
  return [
    handle(readApiDocument, async () => ({
      openapi: "3.1.0" as const,
      info: about(),
      ...(basePath === "" ? {} : { servers: [{ url: basePath }] }),
      ...(await read()),
    })),

    handle(readCallerReference, async () => callable()),
  ] satisfies Handler[];
}
