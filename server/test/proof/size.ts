/** Whether proofs take their full size, as `npm test -- --long` asks. */
export const isLong = process.env["TOLLGATE_TEST_LONG"] === "1";
