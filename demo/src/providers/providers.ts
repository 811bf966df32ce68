/** The providers by their routes. */

import type { ProviderRoute, Route } from "@tollgate/demo/routes.ts";
import { aiproxyLibrary } from "./aiproxy-library.ts";
import { baiduWenxin } from "./baidu-wenxin.ts";
import { coze } from "./coze.ts";
import { dify, difyWorkflow } from "./dify.ts";
import { palm } from "./palm.ts";
import { tencentHunyuan } from "./tencent-hunyuan.ts";
import type { Provider } from "./provider.ts";
import { xunfeiSpark } from "./xunfei-spark.ts";
import { zhipuV3 } from "./zhipu-v3.ts";

export const providers: Readonly<Record<ProviderRoute, Provider>> = {
  "aiproxy-library": aiproxyLibrary,
  "baidu-wenxin": baiduWenxin,
  coze,
  dify,
  "dify-workflow": difyWorkflow,
  palm,
  "tencent-hunyuan": tencentHunyuan,
  "xunfei-spark": xunfeiSpark,
  "zhipu-v3": zhipuV3,
};

export function isProviderRoute(route: Route): route is ProviderRoute {
  return Object.hasOwn(providers, route);
}
