/**
 * Returns the time at which a call began by the server's clock, in Unix seconds: request ids begin
 * with it. The search in the log starts there, so that it need not read the whole log. Null: the
 * text is not a request id of this server.
 */
export function startOf(requestId: string): number | null {
  const [, year, month, day, hour, minute, second] =
    /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)\d{3}/.exec(requestId) ?? [];
  const atMs = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  return Number.isNaN(atMs) ? null : atMs / 1_000;
}
