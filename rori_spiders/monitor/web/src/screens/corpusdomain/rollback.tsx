import type { Version } from '../corpus/shapes'

export function RollBack(_given: { domain: string; version: Version }) {
  return null
}
