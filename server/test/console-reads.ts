/** What a console reads, for the search for secrets. */

/** The addresses whose answers are no JSON, but a stream. */
export const streamed = /^\/api\/(?:log\/(?:self\/)?export|live\/stream)/;

/** Paths of everything that a console shows. Each is requested after all secrets were used. */
export const reads = [
  "/api/status",
  "/api/setup",
  "/api/pricing",
  "/api/user/self",
  "/api/user/?p=1&page_size=100",
  "/api/user/search?keyword=u",
  "/api/user/models",
  "/api/user/2fa",
  "/api/user/sessions",
  "/api/token/?p=0&page_size=100",
  "/api/token/search?keyword=canary",
  "/api/token/query?p=0&page_size=100",
  "/api/channel/?p=0&page_size=100",
  "/api/channel/search?keyword=channel",
  "/api/channel/models",
  "/api/log/?p=1&page_size=100",
  "/api/log/self/?p=1&page_size=100",
  "/api/log/new/?p=1&page_size=100",
  ...["", "self/", "new/"].flatMap((of) => [
    `/api/log/${of}chart?by=model&measure=quota`,
    `/api/log/${of}chart?by=reason&measure=failures`,
    `/api/log/${of}failures`,
    ...["model", "token", "reason", "status", "finish", "tag", "conversation"].map(
      (facet) => `/api/log/${of}facet?facet=${facet}&prefix=`,
    ),
    `/api/log/${of}stat`,
  ]),
  "/api/log/export",
  "/api/log/self/export",
  "/api/view/?list=logs",
  "/api/live/",
  "/api/live/stream?seconds=0",
  "/api/option/",
  "/api/audit/?page_size=100",
  "/api/audit/check",
  "/api/notice",
  "/api/about",
  "/api/home_page_content",
  "/api/models",
  "/v1/models",
  "/healthz",
  "/readyz",
  "/metrics",
  "/",
];
