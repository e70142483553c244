import type { schemas } from '@/api/shapes'

export type Mark = schemas['MarkOf']
export type Place = schemas['PlaceOf']
export type Cell = schemas['CellOf']
/** One block that changed. */
export type Change = schemas['ChangeOf']
export type SectionChange = schemas['SectionOf']
/** A piece of a text: kept, deleted or inserted. */
export type Piece = Cell['words'][number]
export type Op = Piece[0]
export type Side = 'old' | 'new'
