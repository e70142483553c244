import type { schemas } from '@/api/shapes'

export type Problem = schemas['ProblemOf']
export type SourceChange = schemas['SourceChanged']
export type Draft = schemas['ManifestText']
export type Checked = schemas['ManifestCheck']
