import type { Schemas } from '@/api/types'

export type Mark = Schemas['MarkOf']
export type Place = Schemas['PlaceOf']
export type Cell = Schemas['CellOf']
/** One block that changed. */
export type Change = Schemas['ChangeOf']
export type SectionChange = Schemas['SectionOf']
/** A piece of a text: kept, deleted or inserted. */
export type Piece = Cell['words'][number]
export type Op = Piece[0]
export type Side = 'old' | 'new'
