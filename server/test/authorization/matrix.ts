import { logRows } from "./log-rows.ts";
import { organisationRows } from "./organisation-rows.ts";

/**
 * What each caller may do on each route. One line per route, or per case of a route (the case is in
 * brackets); one column per caller, in the order of `callers.ts`. `outcome.ts` explains the
 * letters. A new route needs one line here, and in `samples.ts` what to send so that the call
 * succeeds.
 */

/*
 * visitor
 * | owner of what the route is about
 * | | other user
 * | | | disabled, deleted user, signed in before
 * | | | |   admin, other admin, root
 * | | | |   |     token: good, disabled, deleted, expired, exhausted, for another address
 * | | | |   |     |           token of a disabled user, of a deleted one
 * | | | |   |     |           |   access token of the owner, an admin, root
 * | | | |   |     |           |   |     session from before a demotion
 *
 * The routes below `/api/demo` exist with `--demo` only, and the matrix runs without it.
 *
 * In lists, `x` means that the caller does not see the owner's rows. Root reads and changes
 * all users' tokens by the routes with `new`, and its own by the others.
 */
export const matrix = `
  GET /dashboard/billing/subscription          L L L L L L L L + L L L L F F F L L L L
  GET /dashboard/billing/usage                 L L L L L L L L + L L L L F F F L L L L
  POST /pg/chat/completions                    L + + L L + + + F F F F F F F F F F F L
  POST /upload/v1beta                          N N N N N N N N N N N N N N N N N N N N
  POST /v1/assistants                          N N N N N N N N N N N N N N N N N N N N
  POST /v1/audio/speech                        L L L L L L L L + L L L L F F F L L L L
  POST /v1/audio/transcriptions                L L L L L L L L x L L L L F F F L L L L
  POST /v1/audio/translations                  L L L L L L L L x L L L L F F F L L L L
  POST /v1/batches                             N N N N N N N N N N N N N N N N N N N N
  POST /v1/chat/completions                    L L L L L L L L + L L L L F F F L L L L
  POST /v1/completions                         L L L L L L L L + L L L L F F F L L L L
  POST /v1/containers                          N N N N N N N N N N N N N N N N N N N N
  POST /v1/conversations                       N N N N N N N N N N N N N N N N N N N N
  GET /v1/dashboard/billing/subscription       L L L L L L L L + L L L L F F F L L L L
  GET /v1/dashboard/billing/usage              L L L L L L L L + L L L L F F F L L L L
  POST /v1/edits                               N N N N N N N N N N N N N N N N N N N N
  POST /v1/embeddings                          L L L L L L L L + L L L L F F F L L L L
  POST /v1/engines/*/embeddings                L L L L L L L L + L L L L F F F L L L L
  POST /v1/evals                               N N N N N N N N N N N N N N N N N N N N
  POST /v1/files                               N N N N N N N N N N N N N N N N N N N N
  POST /v1/fine-tunes                          N N N N N N N N N N N N N N N N N N N N
  POST /v1/fine_tuning                         N N N N N N N N N N N N N N N N N N N N
  GET /v1/generation                           L L L L L L L L N L L L L F F F L L L L
  POST /v1/images/edits                        L L L L L L L L + L L L L F F F L L L L
  POST /v1/images/generations                  L L L L L L L L + L L L L F F F L L L L
  POST /v1/images/variations                   L L L L L L L L + L L L L F F F L L L L
  POST /v1/messages                            L L L L L L L L + L L L L F F F L L L L
  POST /v1/messages/batches                    N N N N N N N N N N N N N N N N N N N N
  POST /v1/messages/count_tokens               L L L L L L L L + L L L L F F F L L L L
  GET /v1/models                               L L L L L L L L + L L L L F F F L L L L
  DELETE /v1/models/**                         N N N N N N N N N N N N N N N N N N N N
  GET /v1/models/**                            L L L L L L L L + L L L L F F F L L L L
  POST /v1/models/**:batchEmbedContents        L L L L L L L L + L L L L F F F L L L L
  POST /v1/models/**:countTokens               L L L L L L L L + L L L L F F F L L L L
  POST /v1/models/**:embedContent              L L L L L L L L + L L L L F F F L L L L
  POST /v1/models/**:generateContent           L L L L L L L L + L L L L F F F L L L L
  POST /v1/models/**:streamGenerateContent     L L L L L L L L + L L L L F F F L L L L
  POST /v1/moderations                         L L L L L L L L + L L L L F F F L L L L
  GET /v1/realtime                             L L L L L L L L x L L L L F F F L L L L
  POST /v1/realtime                            N N N N N N N N N N N N N N N N N N N N
  POST /v1/rerank                              L L L L L L L L + L L L L F F F L L L L
  DELETE /v1/responses/*                       L L L L L L L L N L L L L F F F L L L L
  GET /v1/responses                            x x x x x x x x x x x x x x x x x x x x
  GET /v1/responses/*                          L L L L L L L L N L L L L F F F L L L L
  GET /v1/responses/*/input_items              L L L L L L L L N L L L L F F F L L L L
  POST /v1/responses                           L L L L L L L L + L L L L F F F L L L L
  POST /v1/responses/compact                   L L L L L L L L x L L L L F F F L L L L
  POST /v1/responses/input_tokens              L L L L L L L L + L L L L F F F L L L L
  POST /v1/skills                              N N N N N N N N N N N N N N N N N N N N
  POST /v1/threads                             N N N N N N N N N N N N N N N N N N N N
  POST /v1/uploads                             N N N N N N N N N N N N N N N N N N N N
  POST /v1/vector_stores                       N N N N N N N N N N N N N N N N N N N N
  POST /v1beta/batches                         N N N N N N N N N N N N N N N N N N N N
  POST /v1beta/cachedContents                  N N N N N N N N N N N N N N N N N N N N
  POST /v1beta/fileSearchStores                N N N N N N N N N N N N N N N N N N N N
  POST /v1beta/files                           N N N N N N N N N N N N N N N N N N N N
  POST /v1beta/interactions                    N N N N N N N N N N N N N N N N N N N N
  GET /ws/google.ai.generativelanguage.v1alpha.GenerativeService.BidiGenerateContent L L L L L L L L x L L L L F F F L L L L
  GET /ws/google.ai.generativelanguage.v1beta.GenerativeService.BidiGenerateContent L L L L L L L L x L L L L F F F L L L L
  GET /ws/google.cloud.aiplatform.v1beta1.LlmBidiService/BidiGenerateContent L L L L L L L L x L L L L F F F L L L L
  POST /ws                                     N N N N N N N N N N N N N N N N N N N N
  GET /doubao/**                               N N N N N N N N N N N N N N N N N N N N
  POST /doubao/**                              N N N N N N N N N N N N N N N N N N N N
  GET /kling/**                                N N N N N N N N N N N N N N N N N N N N
  POST /kling/**                               N N N N N N N N N N N N N N N N N N N N
  GET /mj/**                                   N N N N N N N N N N N N N N N N N N N N
  POST /mj/**                                  N N N N N N N N N N N N N N N N N N N N
  GET /suno/**                                 N N N N N N N N N N N N N N N N N N N N
  POST /suno/**                                N N N N N N N N N N N N N N N N N N N N
  GET /v1/tasks/**                             N N N N N N N N N N N N N N N N N N N N
  POST /v1/video/generations                   L L L L L L L L x L L L L F F F L L L L
  GET /v1/video/generations/*                  L L L L L L L L N L L L L F F F L L L L
  GET /v1/videos                               L L L L L L L L + L L L L F F F L L L L
  POST /v1/videos                              L L L L L L L L x L L L L F F F L L L L
  DELETE /v1/videos/**                         L L L L L L L L N L L L L F F F L L L L
  GET /v1/videos/**                            L L L L L L L L N L L L L F F F L L L L
  POST /v1/videos/**                           N N N N N N N N N N N N N N N N N N N N
  GET /v1beta/models                           L L L L L L L L + L L L L F F F L L L L
  GET /v1beta/models/**                        L L L L L L L L + L L L L F F F L L L L
  POST /v1beta/models/**:batchEmbedContents    L L L L L L L L + L L L L F F F L L L L
  POST /v1beta/models/**:countTokens           L L L L L L L L + L L L L F F F L L L L
  POST /v1beta/models/**:embedContent          L L L L L L L L + L L L L F F F L L L L
  POST /v1beta/models/**:generateContent       L L L L L L L L + L L L L F F F L L L L
  POST /v1beta/models/**:streamGenerateContent L L L L L L L L + L L L L F F F L L L L
  POST /v1beta/tunedModels                     N N N N N N N N N N N N N N N N N N N N
  POST /v2/embed                               L L L L L L L L + L L L L F F F L L L L
  POST /v2/rerank                              L L L L L L L L + L L L L F F F L L L L

  GET /api/about                               + + + + + + + + + + + + + + + + + + + +
  GET /api/agent/                              L R R L L R R + T T T T T T T T R R + L
  PUT /api/agent/                              L R R L L R R + T T T T T T T T R R + L
  GET /api/agent/:id/dividends                 L R R L L R R + T T T T T T T T R R + L
  GET /api/agent/:id/purse                     L R R L L R R + T T T T T T T T R R + L
  POST /api/agent/dividends/run                L R R L L R R + T T T T T T T T R R + L
  GET /api/agent/withdrawals                   L R R L L R R + T T T T T T T T R R + L
  POST /api/agent/withdrawals/:id/pay          L R R L L R R + T T T T T T T T R R + L
  POST /api/agent/withdrawals/:id/reject       L R R L L R R + T T T T T T T T R R + L
  GET /api/audit/                              L R R L L R R + T T T T T T T T R R + L
  GET /api/audit/check                         L R R L L R R + T T T T T T T T R R + L
  POST /api/bills                              L R R L L R R + T T T T T T T T R R + L
  POST /api/bills/:id/compare                  L R R L L R R + T T T T T T T T R R + L
  POST /api/bills/:id/parts                    L R R L L R R + T T T T T T T T R R + L
  GET /api/channel/                            L R R L L + + + T T T T T T T T R + + L
  POST /api/channel/                           L R R L L + + + T T T T T T T T R + + L
  PUT /api/channel/                            L R R L L + + + T T T T T T T T R + + L
  DELETE /api/channel/:id                      L R R L L + + + T T T T T T T T R + + L
  GET /api/channel/:id                         L R R L L + + + T T T T T T T T R + + L
  GET /api/channel/:id/costs                   L R R L L R R + T T T T T T T T R R + L
  PUT /api/channel/:id/costs                   L R R L L R R + T T T T T T T T R R + L
  GET /api/channel/:id/costs/versions          L R R L L R R + T T T T T T T T R R + L
  GET /api/channel/:id/standing                L R R L L + + + T T T T T T T T R + + L
  POST /api/channel/batch                      L R R L L + + + T T T T T T T T R + + L
  POST /api/channel/batch/status               L R R L L + + + T T T T T T T T R + + L
  POST /api/channel/batch/tag                  L R R L L + + + T T T T T T T T R + + L
  DELETE /api/channel/disabled                 L R R L L + + + T T T T T T T T R + + L
  POST /api/channel/fetch_models               L R R L L + + + T T T T T T T T R + + L
  GET /api/channel/fetch_models/:id            L R R L L + + + T T T T T T T T R + + L
  POST /api/channel/fix                        L R R L L + + + T T T T T T T T R + + L
  POST /api/channel/keys/known                 L R R L L + + + T T T T T T T T R + + L
  GET /api/channel/modelNames                  L R R L L + + + T T T T T T T T R + + L
  GET /api/channel/models                      L R R L L + + + T T T T T T T T R + + L
  GET /api/channel/models_enabled              L R R L L + + + T T T T T T T T R + + L
  GET /api/channel/models_unpriced             L R R L L + + + T T T T T T T T R + + L
  GET+POST /api/channel/new/search             L R R L L R R + T T T T T T T T R R + L
  GET /api/channel/rounds                      L R R L L + + + T T T T T T T T R + + L
  POST /api/channel/rounds/stop                L R R L L + + + T T T T T T T T R + + L
  GET+POST /api/channel/search                 L R R L L + + + T T T T T T T T R + + L
  PUT /api/channel/tag                         L R R L L + + + T T T T T T T T R + + L
  POST /api/channel/tag/disabled               L R R L L + + + T T T T T T T T R + + L
  POST /api/channel/tag/enabled                L R R L L + + + T T T T T T T T R + + L
  GET+POST /api/channel/test                   L R R L L + + + T T T T T T T T R + + L
  GET+POST /api/channel/test/:id               L R R L L + + + T T T T T T T T R + + L
  POST /api/channel/try                        L R R L L + + + T T T T T T T T R + + L
  GET /api/channel/types                       L R R L L + + + T T T T T T T T R + + L
  GET+POST /api/channel/update_balance         L R R L L + + + T T T T T T T T R + + L
  GET+POST /api/channel/update_balance/:id     L R R L L + + + T T T T T T T T R + + L
  GET /api/configuration/                      L R R L L R R + T T T T T T T T R R + L
  POST /api/configuration/apply                L R R L L R R + T T T T T T T T R R + L
  GET /api/configuration/owned                 L R R L L + + + T T T T T T T T R + + L
  POST /api/configuration/plan                 L R R L L R R + T T T T T T T T R R + L
  GET /api/conversation/:id                    L + x L L + + + T T T T T T T T + + + L
  GET /api/conversation/:id/links              L + + L L + + + T T T T T T T T + + + L
  POST /api/conversation/:id/links             L + x L L + + + T T T T T T T T + + + L
  DELETE /api/conversation/link/:id            L + x L L x x x T T T T T T T T + x x L
  POST /api/conversation/shared                x x x x x x x x x x x x x x x x x x x x
  GET /api/dashboard/                          L R R L L + + + T T T T T T T T R + + L
  GET /api/dashboard/caches                    L R R L L + + + T T T T T T T T R + + L
  GET /api/dashboard/caches/self               L + + L L + + + T T T T T T T T + + + L
  GET /api/dashboard/lines                     L + + L L + + + T T T T T T T T + + + L
  GET /api/dashboard/self                      L + + L L + + + T T T T T T T T + + + L
  GET /api/data/                               L R R L L + + + T T T T T T T T R + + L
  GET /api/data/self/                          L + + L L + + + T T T T T T T T + + + L
  GET /api/data/channelUseData                 L R R L L R R + T T T T T T T T R R + L
  POST /api/demo/call                          N N N N N N N N N N N N N N N N N N N N
  GET /api/demo/calls                          N N N N N N N N N N N N N N N N N N N N
  GET /api/demo/calls/:request_id              N N N N N N N N N N N N N N N N N N N N
  POST /api/demo/tour                          N N N N N N N N N N N N N N N N N N N N
  GET /api/group/                              L R R L L + + + T T T T T T T T R + + L
  GET /api/home_page_content                   + + + + + + + + + + + + + + + + + + + +
  GET /api/live/                               L + + L L + + + T T T T T T T T + + + L
  POST /api/live/stop                          L x x L L x x x T T T T T T T T x x x L
  GET /api/live/stream                         L + + L L + + + T T T T T T T T + + + L
${logRows}${organisationRows}
  GET /api/import/                             L R R L L R R + T T T T T T T T R R + L
  POST /api/import/:id/open                    L R R L L R R + T T T T T T T T R R + L
  POST /api/mail/test                          L R R L L R R x T T T T T T T T R R x L
  GET /api/margins/                            L R R L L R R + T T T T T T T T R R + L
  GET /api/margins/call/:id                    L R R L L R R + T T T T T T T T R R + L
  GET /api/margins/losses                      L R R L L R R + T T T T T T T T R R + L
  GET /api/mj/                                 L R R L L + + + T T T T T T T T R + + L
  GET /api/mj/self/                            L + + L L + + + T T T T T T T T + + + L
  GET /api/models                              L + + L L + + + T T T T T T T T + + + L
  GET /api/notice                              + + + + + + + + + + + + + + + + + + + +
  GET /api/openapi.json                        L R R L L + + + T T T T T T T T R + + L
  GET /api/oauth/:type                         x x x x x x x x x x x x x x x x x x x x
  DELETE /api/oauth/:type/bind                 L x x L L x x x T T T T T T T T x x x L
  GET+POST /api/oauth/email/bind               L x x L L x x x T T T T T T T T x x x L
  GET+POST /api/oauth/state                    + x x + + x x x + + + + + + + + x x x +
  GET /api/oauth/telegram/bind                 L x x L L x x x T T T T T T T T x x x L
  POST /api/oauth/telegram/bind                L x x L L x x x T T T T T T T T x x x L
  GET /api/oauth/telegram/bind?state           x x x x x x x x x x x x x x x x x x x x
  GET+POST /api/oauth/telegram/login           x x x x x x x x x x x x x x x x x x x x
  GET+POST /api/oauth/wechat                   x x x x x x x x x x x x x x x x x x x x
  GET+POST /api/oauth/wechat/bind              L x x L L x x x T T T T T T T T x x x L
  GET /api/option/                             L R R L L R R + T T T T T T T T R R + L
  PUT /api/option/                             L R R L L R R + T T T T T T T T R R + L
  PUT /api/option/?preview                     L R R L L R R + T T T T T T T T R R + L
  POST /api/option/rest_model_ratio            L R R L L R R + T T T T T T T T R R + L
  GET /api/order/                              L R R L L R R + T T T T T T T T R R + L
  GET /api/order/:id                           L R R L L R R + T T T T T T T T R R + L
  POST /api/order/:id/check                    L R R L L R R + T T T T T T T T R R + L
  POST /api/order/:id/refund                   L R R L L R R + T T T T T T T T R R + L
  POST /api/order/:id/refund/end               L R R L L R R + T T T T T T T T R R + L
  POST /api/order/:id/settle                   L R R L L R R + T T T T T T T T R R + L
  GET /api/prices/                             L R R L L R R + T T T T T T T T R R + L
  PUT /api/prices/                             L R R L L R R + T T T T T T T T R R + L
  POST /api/prices/apply                       L R R L L R R + T T T T T T T T R R + L
  GET /api/prices/book                         L R R L L R R + T T T T T T T T R R + L
  GET /api/prices/catalogue                    L R R L L R R + T T T T T T T T R R + L
  GET /api/prices/drafts                       L R R L L R R + T T T T T T T T R R + L
  GET /api/prices/drafts/:id                   L R R L L R R + T T T T T T T T R R + L
  POST /api/prices/drafts/:id                  L R R L L R R + T T T T T T T T R R + L
  POST /api/prices/drafts/:id/prices           L R R L L R R + T T T T T T T T R R + L
  POST /api/prices/previews                    L R R L L R R + T T T T T T T T R R + L
  DELETE /api/prices/previews/:name            L R R L L R R + T T T T T T T T R R + L
  GET /api/prices/previews/:name               L R R L L R R + T T T T T T T T R R + L
  POST /api/prices/proposals                   L R R L L R R + T T T T T T T T R R + L
  GET /api/prices/sources                      L R R L L R R + T T T T T T T T R R + L
  POST /api/prices/sources                     L R R L L R R + T T T T T T T T R R + L
  DELETE /api/prices/sources/:id               L R R L L R R + T T T T T T T T R R + L
  PUT /api/prices/sources/:id                  L R R L L R R + T T T T T T T T R R + L
  POST /api/prices/sources/:id/sync            L R R L L R R + T T T T T T T T R R + L
  GET /api/prices/rerates                      L R R L L R R + T T T T T T T T R R + L
  POST /api/prices/rerates                     L R R L L R R + T T T T T T T T R R + L
  GET /api/prices/rerates/:id                  L R R L L R R + T T T T T T T T R R + L
  POST /api/prices/rerates/:id/stop            L R R L L R R + T T T T T T T T R R + L
  POST /api/prices/rerates/:id/undo            L R R L L R R + T T T T T T T T R R + L
  GET /api/prices/versions                     L R R L L R R + T T T T T T T T R R + L
  GET /api/prices/versions/diff                L R R L L R R + T T T T T T T T R R + L
  POST /api/prices/versions/rollback           L R R L L R R + T T T T T T T T R R + L
  GET /api/pricing                             + + + + + + + + + + + + + + + + + + + +
  GET /api/pricing/models                      + + + + + + + + + + + + + + + + + + + +
  GET /api/redemption/                         L R R L L R R + T T T T T T T T R R + L
  POST /api/redemption/                        L R R L L R R + T T T T T T T T R R + L
  PUT /api/redemption/                         L R R L L R R + T T T T T T T T R R + L
  DELETE /api/redemption/:id                   L R R L L R R + T T T T T T T T R R + L
  GET /api/redemption/:id                      L R R L L R R + T T T T T T T T R R + L
  PUT /api/redemption/?status_only             L R R L L R R + T T T T T T T T R R + L
  POST /api/redemption/batch                   L R R L L R R + T T T T T T T T R R + L
  POST /api/redemption/batch/status            L R R L L R R + T T T T T T T T R R + L
  GET /api/redemption/search                   L R R L L R R + T T T T T T T T R R + L
  GET /api/reference.json                      + + + + + + + + + + + + + + + + + + + +
  GET+POST /api/reset_password                 x x x x x x x x x x x x x x x x x x x x
  POST /api/route/explain                      L R R L L + + + T T T T T T T T R + + L
  GET /api/setup                               + + + + + + + + + + + + + + + + + + + +
  POST /api/setup                              x x x x x x x x x x x x x x x x x x x x
  GET /api/setup/checklist                     L R R L L R R + T T T T T T T T R R + L
  PUT /api/setup/checklist                     L R R L L R R + T T T T T T T T R R + L
  GET /api/status                              + + + + + + + + + + + + + + + + + + + +
  GET /api/status/test                         L R R L L + + + T T T T T T T T R + + L
  GET /api/task/                               L R R L L + + + T T T T T T T T R + + L
  GET /api/task/platforms                      L + + L L + + + T T T T T T T T + + + L
  GET /api/task/self                           L + + L L + + + T T T T T T T T + + + L
  GET /api/token/                              L + x L L x x x T T T T T T T T + x x L
  POST /api/token/                             L + + L L + + + T T T T T T T T + + + L
  PUT /api/token/                              L + x L L x x x T T T T T T T T + x x L
  DELETE /api/token/:id                        L + x L L x x x T T T T T T T T + x x L
  GET /api/token/:id                           L + x L L x x x T T T T T T T T + x x L
  POST /api/token/:id/key                      L + x L L x x + T T T T T T T T + x + L
  POST /api/token/:id/old-key/end              L + x L L x x + T T T T T T T T + x + L
  POST /api/token/:id/rotate                   L + x L L x x + T T T T T T T T + x + L
  PUT /api/token/?status_only                  L + x L L x x x T T T T T T T T + x x L
  POST /api/token/batch                        L + x L L x x x T T T T T T T T + x x L
  POST /api/token/batch/keys                   L + x L L x x + T T T T T T T T + x + L
  POST /api/token/batch/status                 L + x L L x x x T T T T T T T T + x x L
  PUT /api/token/new/                          L R R L L R R + T T T T T T T T R R + L
  DELETE /api/token/new/:id                    L R R L L R R + T T T T T T T T R R + L
  GET /api/token/new/:id                       L R R L L R R + T T T T T T T T R R + L
  PUT /api/token/new/?status_only              L R R L L R R + T T T T T T T T R R + L
  POST /api/token/new/batch                    L R R L L R R + T T T T T T T T R R + L
  POST /api/token/new/batch/status             L R R L L R R + T T T T T T T T R R + L
  GET /api/token/newSearch                     L + x L L x x + T T T T T T T T + x + L
  GET /api/token/query                         L + x L L x x + T T T T T T T T + x + L
  GET /api/token/search                        L + x L L x x x T T T T T T T T + x x L
  GET /api/usage/token/                        L L L L L L L L + L L L + L L L L L L L
  GET /api/user/                               L R R L L + + + T T T T T T T T R + + L
  POST /api/user/                              L R R L L + + + T T T T T T T T R + + L
  PUT /api/user/                               L R R L L + + + T T T T T T T T R + + L
  PUT /api/user/ (an admin)                    L R R L L x x + T T T T T T T T R x + L
  DELETE /api/user/:id                         L R R L L + + + T T T T T T T T R + + L
  GET /api/user/:id                            L R R L L + + + T T T T T T T T R + + L
  DELETE /api/user/:id (an admin)              L R R L L x x + T T T T T T T T R x + L
  GET /api/user/:id (an admin)                 L R R L L + x + T T T T T T T T R + + L
  DELETE /api/user/:id (root)                  L R R L L x x x T T T T T T T T R x x L
  DELETE /api/user/:id/2fa                     L R R L L + + + T T T T T T T T R + + L
  DELETE /api/user/:id/2fa (an admin)          L R R L L x x + T T T T T T T T R x + L
  DELETE /api/user/:id/2fa (root)              L R R L L x x + T T T T T T T T R x + L
  GET /api/user/:id/entries                    L R R L L + + + T T T T T T T T R + + L
  GET /api/user/:id/entries (an admin)         L R R L L + x + T T T T T T T T R + + L
  GET /api/user/2fa                            L + + L L + + + T T T T T T T T + + + L
  POST /api/user/2fa/disable                   L x x L L x x x T T T T T T T T x x x L
  POST /api/user/2fa/enable                    L + + L L + + x T T T T T T T T + + x L
  POST /api/user/2fa/recovery_codes            L x x L L x x x T T T T T T T T x x x L
  POST /api/user/2fa/setup                     L + + L L + + + T T T T T T T T + + + L
  POST /api/user/2fa/verify                    L x x L L x x x T T T T T T T T x x x L
  GET /api/user/aff                            L + + L L + + + T T T T T T T T + + + L
  GET /api/user/aff/earnings                   L + + L L + + + T T T T T T T T + + + L
  GET /api/user/agent                          L + + L L + + + T T T T T T T T + + + L
  GET /api/user/agent/dividends                L + + L L + + + T T T T T T T T + + + L
  POST /api/user/agent/join                    L + + L L + + + T T T T T T T T + + + L
  GET /api/user/agent/purse                    L + + L L + + + T T T T T T T T + + + L
  POST /api/user/agent/transfer                L + + L L + + + T T T T T T T T + + + L
  POST /api/user/agent/withdraw                L + + L L + + + T T T T T T T T + + + L
  GET /api/user/agent/withdrawals              L + + L L + + + T T T T T T T T + + + L
  POST /api/user/aff_transfer                  L x x L L x x x T T T T T T T T x x x L
  GET+POST /api/user/:processor/notify         + + + + + + + + + + + + + + + + + + + +
  POST /api/user/:processor/pay                L + + L L + + + T T T T T T T T + + + L
  POST /api/user/amount                        L + + L L + + + T T T T T T T T + + + L
  POST /api/user/batch/group                   L R R L L + + + T T T T T T T T R + + L
  POST /api/user/batch/status                  L R R L L + + + T T T T T T T T R + + L
  POST /api/user/batch/status (an admin)       L R R L L x x + T T T T T T T T R x + L
  GET /api/user/checklist                      L + + L L + + + T T T T T T T T + + + L
  PUT /api/user/checklist                      L + + L L + + + T T T T T T T T + + + L
  POST /api/user/email/undo                    x x x x x x x x x x x x x x x x x x x x
  GET /api/user/groups                         + + + + + + + + + + + + + + + + + + + +
  POST /api/user/login                         x x x x x x x x x x x x x x x x x x x x
  POST /api/user/login/2fa                     x x x x x x x x x x x x x x x x x x x x
  POST /api/user/login/passkey/begin           x x x x x x x x x x x x x x x x x x x x
  POST /api/user/login/passkey/finish          x x x x x x x x x x x x x x x x x x x x
  POST /api/user/:id/debt/waive                L R R L L R R + T T T T T T T T R R + L
  POST /api/user/manage (disable an admin)     L R R L L x x + T T T T T T T T R x + L
  POST /api/user/manage (disable root)         L R R L L x x x T T T T T T T T R x x L
  POST /api/user/manage (disable)              L R R L L + + + T T T T T T T T R + + L
  POST /api/user/manage (promote)              L R R L L x x + T T T T T T T T R x + L
  POST /api/user/pay                           L + + L L + + + T T T T T T T T + + + L
  GET /api/user/models                         L + + L L + + + T T T T T T T T + + + L
  DELETE /api/user/passkey/:id                 L x x L L x x x T T T T T T T T x x x L
  PUT /api/user/passkey/:id                    L x x L L x x x T T T T T T T T x x x L
  POST /api/user/passkey/register/begin        L x x L L x x x T T T T T T T T x x x L
  POST /api/user/passkey/register/finish       L x x L L x x x T T T T T T T T x x x L
  POST /api/user/passkey/verify/begin          L x x L L x x x T T T T T T T T x x x L
  POST /api/user/passkey/verify/finish         L x x L L x x x T T T T T T T T x x x L
  GET /api/user/query                          L R R L L + + + T T T T T T T T R + + L
  POST /api/user/register                      x x x x x x x x x x x x x x x x x x x x
  POST /api/user/reset                         x x x x x x x x x x x x x x x x x x x x
  GET /api/user/search                         L R R L L + + + T T T T T T T T R + + L
  GET /api/user/self                           L + x L L x x x T T T T T T T T + x x L
  PUT /api/user/self                           L + + L L + + + T T T T T T T T + + + L
  GET /api/user/self/balance                   L + + L L + + + T T T T T T T T + + + L
  GET /api/user/self/entries                   L + + L L + + + T T T T T T T T + + + L
  GET /api/user/self/groups                    L + + L L + + + T T T T T T T T + + + L
  GET /api/user/sessions                       L + + L L + + + T T T T T T T T + + + L
  PUT /api/user/setting                        L + + L L + + + T T T T T T T T + + + L
  POST /api/user/setting/test                  L + + L L + + + T T T T T T T T + + + L
  GET+POST /api/verification                   x x x x x x x x x x x x x x x x x x x x
  GET /api/view/                               L + + L L + + + T T T T T T T T + + + L
  POST /api/view/                              L + + L L + + + T T T T T T T T + + + L
  DELETE /api/view/:id                         L x x L L x x x T T T T T T T T x x x L

  DELETE /api/user/sessions/:id                L + x L L x x x T T T T T T T T + x x L
  DELETE /api/user/sessions                    L + + L L + + + T T T T T T T T + + + L
  GET+POST /api/user/token                     L + + L L + + + T T T T T T T T + + + L
  POST /api/user/topup                         L + + L L + + + T T T T T T T T + + + L
  POST /api/user/topup/again                   L + x L L x x x T T T T T T T T + x x L
  POST /api/user/topup/check                   L + x L L x x x T T T T T T T T + x x L
  GET /api/user/topup/info                     L + + L L + + + T T T T T T T T + + + L
  GET /api/user/topup/self                     L + x L L x x x T T T T T T T T + x x L
  GET+POST /api/user/logout                    + + + + + + + + + + + + + + + + + + + +
  DELETE /api/user/self                        L + + L L + + x T T T T T T T T + + x L
`;
