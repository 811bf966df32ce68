/**
 * What went wrong at an upstream, in words for administrators: channel tests, lists of models and
 * balances say them, and so does the reason of a disabled channel. They are part of the server's
 * messages, so the console shows them in its language.
 */

import type { UpstreamFault } from "#canonical/event.ts";
import type { TransportFaultCode } from "#network/answer.ts";
import { plainFault } from "#providers/read-fault.ts";
import type { SigningFault } from "#providers/signing.ts";
import type { ChannelView } from "#ports/snapshot.ts";
import { scrubMessage } from "./scrub.ts";

export type FaultWords = {
  /** Contains no secret. */
  readonly message: string;
  /** The field of the channel that is probably wrong; null: none, or it cannot be told. */
  readonly field: "base_url" | "key" | null;
};

/** The longest part of an upstream's own message that is shown, in UTF-16 code units. */
const reasonLengthMax = 300;

const late: FaultWords = { message: "上游没有及时应答", field: null };
const noAnswer: FaultWords = {
  message: "上游的应答无法读取，请检查 API 地址",
  field: "base_url",
};

/** The words for an attempt that got no answer, by the transport's code. */
const transportWords: Readonly<Record<TransportFaultCode | "address-malformed", FaultWords>> = {
  aborted: late,
  "address-forbidden": {
    message:
      "API 地址指向不允许访问的网络；内网地址需由服务器管理员写入 TOLLGATE_PRIVATE_UPSTREAMS",
    field: "base_url",
  },
  "address-malformed": { message: "API 地址无效", field: "base_url" },
  "address-unresolved": { message: "找不到 API 地址中的主机名，请检查拼写", field: "base_url" },
  "answer-compressed": {
    message: "上游的应答使用了无法解压的编码",
    field: null,
  },
  "answer-not-http": {
    message: "上游的应答不是有效的 HTTP，请检查 API 地址和端口",
    field: "base_url",
  },
  "answer-too-large": noAnswer,
  "answer-truncated": { message: "上游在应答结束前断开了连接", field: null },
  "certificate-expired": { message: "上游的 TLS 证书已过期或尚未生效", field: "base_url" },
  "certificate-invalid": { message: "上游的 TLS 证书无效", field: "base_url" },
  "certificate-name": {
    message: "上游的 TLS 证书不属于 API 地址中的主机名",
    field: "base_url",
  },
  "certificate-untrusted": {
    message:
      "上游的 TLS 证书不是由受信任的机构签发的；私有机构的证书需由服务器管理员写入 NODE_EXTRA_CA_CERTS 指定的文件",
    field: "base_url",
  },
  "connection-closed": { message: "上游没有应答就断开了连接", field: null },
  "connection-failed": { message: "无法连接上游：网络不可达，请检查 API 地址", field: "base_url" },
  "connection-refused": {
    message: "上游拒绝连接：该端口没有服务，请检查 API 地址和端口",
    field: "base_url",
  },
  "proxy-credentials": { message: "代理拒绝了用户名或密码，请检查代理地址", field: null },
  "proxy-failed": { message: "无法连接代理，或它不支持所填的协议，请检查代理地址", field: null },
  "proxy-forbidden": {
    message:
      "代理地址指向不允许访问的网络；内网地址需由服务器管理员写入 TOLLGATE_PRIVATE_UPSTREAMS",
    field: null,
  },
  "proxy-refused": { message: "代理无法连接上游，请检查代理和 API 地址", field: null },
  "proxy-unresolved": { message: "找不到代理的主机名，请检查拼写", field: null },
  "request-malformed": { message: "密钥含有无效字符，例如空格或换行", field: "key" },
  "timeout-between-chunks": { message: "上游的应答在中途停顿过久", field: null },
  "timeout-connect": { message: "连接上游超时，请检查 API 地址", field: "base_url" },
  "timeout-first-byte": { message: "上游收到了请求，但没有及时开始应答", field: null },
  "timeout-proxy": { message: "代理没有及时连接上游，请检查代理和 API 地址", field: null },
  "timeout-tls": {
    message: "与上游的 TLS 握手超时：该端口可能不支持 https，请检查 API 地址",
    field: "base_url",
  },
  "gateway-busy": { message: "网关繁忙，没有内存接收上游的应答", field: null },
  "gateway-files": {
    message: "网关可打开的文件和连接已达上限，需由服务器管理员提高（ulimit -n）",
    field: null,
  },
  "timeout-total": { message: "上游的应答超过了总时限", field: null },
  "tls-failed": {
    message: "无法与上游建立 TLS 连接：该端口可能不支持 https，请检查 API 地址",
    field: "base_url",
  },
};

/**
 * Says why an attempt got no whole answer, by its code; empty: the code is of another kind of fault.
 */
export function transportMessage(code: string): string {
  // Safe cast: the line checks that the code is one of the table's.
  return Object.hasOwn(transportWords, code)
    ? transportWords[code as TransportFaultCode].message
    : "";
}

/** The words for an attempt that got no whole answer. */
export function sayTransportFault(code: TransportFaultCode | "address-malformed"): FaultWords {
  return transportWords[code];
}

/**
 * The words for an answer with a status other than 2xx.
 *
 * @param status the upstream's, after the channel's status mapping.
 */
export function sayBadStatus(
  status: number,
  fault: UpstreamFault,
  channel: Pick<ChannelView, "baseUrl" | "keys">,
): FaultWords {
  const { what, field } = judge(status, fault);
  const reason = fault.message === plainFault(status) ? "" : fault.message;
  return { message: withReason(what, reason, channel), field };
}

/** The words for an answer with a 2xx status that is not the answer that was asked for. */
export function sayBadAnswer(
  error: { readonly code: string; readonly message: string } | undefined,
  channel: Pick<ChannelView, "baseUrl" | "keys">,
): FaultWords {
  const isError = error !== undefined && error.code !== "answer-malformed";
  return isError
    ? { message: withReason("上游返回了错误", error.message, channel), field: null }
    : { message: "该地址返回的不是有效的 API 应答，请检查 API 地址", field: "base_url" };
}

/** The words for a request that could not be signed with the channel's key. */
export function sayUnsigned(
  fault: SigningFault,
  channel: Pick<ChannelView, "baseUrl" | "keys">,
): FaultWords {
  switch (fault.reason) {
    case "key-malformed":
      return { message: `密钥的格式应为 ${fault.form}`, field: "key" };
    case "token-refused":
      return {
        message: withReason("密钥换取访问令牌时被拒绝", fault.message, channel),
        field: "key",
      };
    case "token-missing":
      return { message: withReason("无法换取访问令牌", fault.message, channel), field: null };
  }
}

type Judgement = { readonly what: string; readonly field: FaultWords["field"] };

function judge(status: number, { code, message, meaning }: UpstreamFault): Judgement {
  const words = `${code.replaceAll("_", " ")} ${message}`;
  if (meaning === "money") {
    return { what: `上游账户余额不足 (${status})`, field: "key" };
  }
  if (/\b(country|region|territory|location)\b/i.test(words)) {
    return { what: `上游不在此地区提供服务 (${status})`, field: "base_url" };
  }
  if (status === 404 && /\bmodel\b|模型/i.test(words)) {
    return { what: `上游没有该模型 (${status})`, field: null };
  }
  // Some vendors report a wrong key under status 400.
  return judgeStatus(meaning === "key" ? 401 : status, status);
}

/** Judges a status; `shown` is the one to name. */
function judgeStatus(status: number, shown: number): Judgement {
  switch (status) {
    case 401:
      return { what: `上游拒绝了该密钥 (${shown})`, field: "key" };
    case 403:
      return { what: `上游不允许该密钥这样使用 (${shown})`, field: "key" };
    case 404:
      return { what: `上游没有该接口 (${shown})，请检查 API 地址`, field: "base_url" };
    case 429:
      return { what: `上游限制了请求 (${shown})`, field: null };
    default:
      break;
  }
  if (status < 400) {
    return { what: `上游转到了另一个地址 (${shown})，请检查 API 地址`, field: "base_url" };
  }
  if (status < 500) return { what: `上游拒绝了请求 (${shown})`, field: null };
  return { what: `上游出错 (${shown})`, field: null };
}

function withReason(
  what: string,
  reason: string,
  channel: Pick<ChannelView, "baseUrl" | "keys">,
): string {
  const shown = scrubMessage(reason, channel).slice(0, reasonLengthMax);
  return shown === "" ? what : `${what}：${shown}`;
}
