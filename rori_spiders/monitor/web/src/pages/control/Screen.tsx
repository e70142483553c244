import { useSession } from '@/api/session'
import { Heading } from '@/components/layout/Heading'
import { ViewerNotice } from '@/components/feedback/ViewerNotice'
import { ActivityLog } from './ActivityLog'
import { SchedulePause } from './SchedulePause'
import { Queue } from './Queue'
import { RunForm } from './RunForm'

export function Control() {
  const { operator_may: may } = useSession()
  return (
    <>
      <Heading title="Control" />
      {!may && <ViewerNotice>you see what runs and who did what, but only operators run, pause and cancel.</ViewerNotice>}
      <SchedulePause may={may} />
      {may && <RunForm />}
      <Queue may={may} />
      <ActivityLog />
    </>
  )
}
