"""The commands: the question that each asks, and the function that answers and prints it.

Both are imported when the command is asked for. Such a function takes the question and returns the
exit status, or nothing for 0.
"""

COMMANDS = {
    "score": ("score:Score", "score:run"),
    "diagnose": ("diagnose:Diagnose", "diagnose:run"),
    "plan": ("plan:PlanTest", "plan:run"),
    "merge": ("merge:Merge", "merge:run"),
    "metrics": ("metrics:Metrics", "metrics:run"),
    "meta": ("judge:Judge", "meta:run"),
    "select": ("select:Select", "select:run"),
    "annotate": ("annotate:Annotate", "annotate:run"),
    "human import": ("human:ImportHuman", "human:import_"),
    "human agreement": ("human:HumanAgreement", "human:agreement"),
    "mutt": ("mutt:UnitTest", "mutt:run"),
    "align": ("align:Align", "align:run"),
    "mbr": ("mbr:Mbr", "mbr:run"),
    "rerank": ("rerank:Rerank", "rerank:run"),
    "parse": ("parse:Parse", "parse:run"),
    "data": ("data:Data", "data:show"),
    "data list": ("data:ListData", "data:show"),
    "data get": ("data:GetData", "data:get"),
    "data add": ("data:AddData", "data:add"),
    "data verify": ("data:VerifyData", "data:verify"),
    "models list": ("models:ModelsList", "models:show"),
    "models get": ("models:ModelsGet", "models:get"),
    "models verify": ("models:ModelsVerify", "models:verify"),
    "report": ("report:Report", "report:run"),
    "serve": ("serve:Serve", "serve:run"),
    "reproduce": ("reproduce:Reproduce", "reproduce:run"),
    "train assay": ("train_assay:TrainAssay", "train_assay:run"),
    "train reval": ("train_reval:TrainReval", "train_reval:run"),
    "train nnrk": ("train_nnrk:TrainNnrk", "train_nnrk:run"),
    "tune": ("tune:Tune", "tune:run"),
    "again": ("again:Again", "again:run"),
    "demo": ("demo:Demo", "demo:run"),
}
"""Command -> the question, MODULE:CLASS of `cupel.questions`, and MODULE:FUNCTION of `cupel.cli`; in
the order of `cupel --help`."""
