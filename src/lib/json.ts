export type JsonValue = string | number | boolean | null | JsonValue[] | JsonObject;

/** Undefined: missing. */
export type OptionalJson = JsonValue | undefined;

export interface JsonObject {
  [key: string]: JsonValue;
}

export function isObject(value: JsonValue | undefined): value is JsonObject;
export function isObject(value: unknown): value is Record<string, unknown>;
export function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
