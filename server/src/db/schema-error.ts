/** This version must not open the database. The message says what the operator can do. */
export class SchemaError extends Error {
  override readonly name = "SchemaError";
}
