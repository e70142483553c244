import type { Schemas } from '@/api/types'

export type Problem = Schemas['ProblemOf']
export type SourceChange = Schemas['SourceChanged']
export type Draft = Schemas['ManifestText']
export type Checked = Schemas['ManifestCheck']
