/** Matches models that are asked at another path, with lists of parts as their contents. */
export const multimodalModel =
  /(^|[-/])(vl|omni|ocr|audio|qvq)([-.\d]|$)|qwen[\d.]*-(vl|omni|audio)/;
