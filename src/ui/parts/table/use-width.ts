/** Measures a table, so that its layout depends on its own width, not the width of the window. */
import type { RefObject } from 'preact'
import { useLayoutEffect, useState } from 'preact/hooks'

/** Probable width of an unmeasured table: the width of the last measured table. */
let likelyPx = 1_000

/** Returns the width of an element in pixels. */
export function useWidth(element: RefObject<HTMLElement>): number {
  const [width, setWidth] = useState(likelyPx)
  useLayoutEffect(() => {
    const { current } = element
    if (!current) return
    const measure = (): void => {
      likelyPx = current.clientWidth
      setWidth(likelyPx)
    }
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(current)
    return () => observer.disconnect()
  }, [])
  return width
}
