import { useSession } from '@/api/session'
import { Heading } from '@/components/layout/Heading'
import { ViewerNotice } from '@/components/feedback/ViewerNotice'
import { ActivityLog } from './ActivityLog'
import { EvidenceCard } from './EvidenceCard'
import { FleetCard } from './FleetCard'
import { SchedulePause } from './SchedulePause'
import { Queue } from './Queue'
import { RunForm } from './RunForm'

export function Control() {
  const { operator_may: may } = useSession()
  return (
    <>
      <Heading title="Control" />
      {!may && <ViewerNotice>Only operators can run, pause and cancel jobs.</ViewerNotice>}
      <SchedulePause may={may} />
      {may && <RunForm />}
      <Queue may={may} />
      <FleetCard />
      <EvidenceCard />
      <ActivityLog />
    </>
  )
}
