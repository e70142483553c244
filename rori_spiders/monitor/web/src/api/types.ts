import type { components } from './schema'

/** The models of the API's document, by their names. */
export type Schemas = components['schemas']
