"""Raw human annotations: what each rater marked and scored, before any averaging.

`formats` reads the files of Google's MQM releases, mt-metrics-eval, Appraise and Pearmut into the one
form of `annotations`; `schemes` weighs marked errors; `rated` makes scores of them, per rater and
averaged; `folder` writes a folder in the layout of mt-metrics-eval.
"""
