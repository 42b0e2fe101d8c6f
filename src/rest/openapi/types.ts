import type { Schema } from './docs/schemas.ts';

export interface OpenApiDocument {
  openapi: string;
  info: object;
  servers: { url: string }[];
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: {
    schemas: Record<string, Schema>;
    responses: Record<string, Response>;
    headers: Record<string, object>;
    securitySchemes: Record<string, object>;
  };
}

export interface Operation {
  operationId: string;
  tags: string[];
  summary: string;
  description: string;
  security: Record<string, string[]>[];
  parameters: Parameter[];
  requestBody?: { required: boolean; content: Record<string, Media> };
  responses: Record<string, Response | Reference>;
}

export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required?: boolean;
  description?: string;
  style?: string;
  explode?: boolean;
  schema: Schema;
  example?: unknown;
}

export interface Media {
  schema: Schema;
  example?: unknown;
  examples?: Record<string, { summary?: string; value: unknown }>;
}

export interface Response {
  description: string;
  headers?: Record<string, object>;
  content?: Record<string, Media>;
  'x-may-be-empty'?: true;
}

export interface Reference {
  $ref: string;
}
