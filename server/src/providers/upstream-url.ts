import { joinUrl } from "./base-url.ts";
import type { ChannelFacts, Provider, UrlTarget } from "./provider.ts";

/** Whether the provider can answer calls of this format and modality. */
export function serves(
  provider: Provider,
  target: Pick<UrlTarget, "format" | "modality">,
): boolean {
  return provider.formats[target.format]?.paths[target.modality] !== undefined;
}

/**
 * Returns the URL of a call. Undefined: the provider has no path for this kind of call, or neither
 * provider nor channel has a base URL.
 */
export function upstreamUrl(provider: Provider, target: UrlTarget): string | undefined {
  const spoken = provider.formats[target.format];
  const plain = spoken?.paths[target.modality];
  const path = target.isStream ? (spoken?.streamPaths?.[target.modality] ?? plain) : plain;
  if (path === undefined) return undefined;
  const url = join(provider, target.channel, path)?.replaceAll(
    "{model}",
    encodeURIComponent(target.model),
  );
  if (url === undefined || provider.adjustUrl === undefined) return url;
  return provider.adjustUrl(url, target);
}

/**
 * Returns the URL at which the tokens of a prompt are counted. Undefined: the provider counts none in
 * this format.
 */
export function countUrl(
  provider: Provider,
  { channel, format, model }: Pick<UrlTarget, "channel" | "format" | "model">,
): string | undefined {
  const path = provider.formats[format]?.countPath;
  const url = path === undefined ? undefined : join(provider, channel, path);
  return url?.replaceAll("{model}", encodeURIComponent(model));
}

/** Returns the URL of the provider's model list. Undefined: it has none. */
export function modelsUrl(provider: Provider, channel: ChannelFacts): string | undefined {
  return provider.modelsPath === null ? undefined : join(provider, channel, provider.modelsPath);
}

/** Returns the URLs to read the balance from. Undefined: the provider's balance cannot be read. */
export function balanceUrls(
  provider: Provider,
  channel: ChannelFacts,
  today: string,
): string[] | undefined {
  const urls = provider.balance?.paths(today).map((path) => join(provider, channel, path));
  return urls?.every((url) => url !== undefined) === true ? urls : undefined;
}

function join(provider: Provider, channel: ChannelFacts, path: string): string | undefined {
  if (channel.baseUrl === "") return undefined;
  const other = encodeURIComponent(channel.other);
  return joinUrl(channel.baseUrl, path, pathsOf(provider)).replaceAll("{other}", other);
}

const paths = new WeakMap<Provider["formats"], readonly string[]>();

function pathsOf({ formats }: Provider): readonly string[] {
  const known = paths.get(formats);
  if (known !== undefined) return known;
  const all = Object.values(formats).flatMap((spoken) => [
    ...Object.values(spoken.paths),
    ...Object.values(spoken.streamPaths ?? {}),
  ]);
  paths.set(formats, all);
  return all;
}
