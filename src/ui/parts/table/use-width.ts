/** Measures a table, so that its layout follows its own width and not that of the window. */
import type { RefObject } from 'preact'
import { useLayoutEffect, useState } from 'preact/hooks'

/** Width that a table most likely has before it is measured: that of the last measured one. */
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
