/** Reads CSV as `tollgate prices export --csv` writes it; a wrong line is refused, not the file. */

import { isPriceCsv, priceFileMax, readPriceCsv } from "@tollgate/contract/money/price-csv.ts";
import { gather, notList, refuse, type SourceReader } from "./source-entries.ts";

/** Reads the whole file. */
export const readCsv: SourceReader = (text, to) => {
  if (!isPriceCsv(text)) return notList;
  if (text.length > priceFileMax) return `文件不能超过 ${priceFileMax} 个字符`;
  const { rows, faults } = readPriceCsv(text);
  const [first] = faults;
  // What is wrong with the head, or with the number of lines, is wrong with the whole file.
  if (rows.length === 0 && faults.length === 1 && first?.line === 1) return first.message;
  for (const { line, message } of faults) refuse(to, `#${line}`, message);
  for (const { line, model, prices } of rows) {
    gather(to, `#${line}`, { entry: model, vendor: "", prices });
  }
  return null;
};
